export * from './common.ts';
export * from './conversation.ts';
export * from './project.ts';
export * from './system.ts';
export * from './trash.ts';
