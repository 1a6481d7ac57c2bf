import type { Lexeme, ProjectId } from '@bough/core';
import { nameLexemes, projectLexeme } from '@bough/core';

/** Lexemes as PostgreSQL reads a `tsvector` that holds nothing else: no positions, no weights. */
const vectorText = (lexemes: readonly string[]): string => lexemes.map(quoted).join(' ');

/** Of a node: the project is one of them, so that the index itself can look in one project. */
export const nodeLexemesText = ({ projectId }: { readonly projectId: ProjectId }, lexemes: readonly string[]): string =>
  vectorText([projectLexeme(projectId), ...lexemes]);

export const nameLexemesText = (project: ProjectId, names: readonly (string | null)[]): string =>
  vectorText([projectLexeme(project), ...nameLexemes(...names)]);

/** One of them, as PostgreSQL reads a `tsquery`. */
export const queryText = (lexemes: readonly Lexeme[]): string =>
  `(${lexemes.map(({ text, prefix }) => `${quoted(text)}${prefix ? ':*' : ''}`).join(' | ')})`;

const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, (sign) => sign + sign)}'`;
