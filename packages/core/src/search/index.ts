export { foldText } from './fold.ts';
export { addLexemes, type Lexeme } from './lexemes.ts';
export * from './match.ts';
export * from './node.ts';
export * from './query.ts';
export * from './snippet.ts';
