import type { ForeignConversation } from '../conversation.ts';
import { isCherryStudio, readCherryStudio } from './cherry-studio/index.ts';
import { isLibreChat, readLibreChat } from './librechat.ts';
import { isMallory, readMallory } from './mallory.ts';
import { isOpenWebUi, readOpenWebUi } from './open-webui/index.ts';
import { isTypingMind, readTypingMind } from './typingmind.ts';

type Reader = (value: unknown, name: string) => readonly ForeignConversation[];

/** Exports of chat programs whose records tell by their fields where they are from. */
const EXPORTS: readonly (readonly [is: (value: unknown) => boolean, read: Reader])[] = [
  [isLibreChat, readLibreChat],
  [isOpenWebUi, readOpenWebUi],
  [isCherryStudio, readCherryStudio],
  [isTypingMind, readTypingMind],
  [isMallory, readMallory],
];

export function exportOf(value: unknown): Reader | null {
  return EXPORTS.find(([is]) => is(value))?.[1] ?? null;
}
