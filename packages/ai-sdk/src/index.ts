export { boughReplay } from './replay/index.ts';
export type { ReplayOptions } from './replay/index.ts';
export type { ReplayLine, ReplayReason, ReplayReport, SettingLine } from './report/index.ts';
export { UnknownModelProviderError } from './target/index.ts';
export type { ModelIdentity, TargetOptions } from './target/index.ts';
export { rememberReplies, replyKeys } from './thinking/known.ts';
export type { KnownReplies, ReplyPart } from './thinking/known.ts';
