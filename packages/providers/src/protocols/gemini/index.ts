import type { Protocol } from '../../protocol.ts';
import { preflight } from '../../rulebook/rule.ts';
import { readError } from './errors.ts';
import { renderingKeys } from './request/fragments.ts';
import { prepare } from './request/index.ts';
import { foldBody, GeminiFold, toContentBlocks } from './response/index.ts';
import { GEMINI_RULES } from './rules/index.ts';
import { readRequest } from './schema.ts';
import { traitsOf } from './traits.ts';

/** Without repairs: checks report what is wrong with a body as it is. */
const CHECKS = GEMINI_RULES.map(({ id, title, reference, kind, check }) => ({ id, title, reference, kind, check }));

/** Google's generateContent and streamGenerateContent. */
export const gemini: Protocol = {
  id: 'gemini',
  prepare,
  renderingKeys,
  createFold: () => new GeminiFold(),
  foldBody,
  toContentBlocks,
  readError,
  check: (body, model) => preflight(CHECKS, readRequest(body), { model, traits: traitsOf(model) }).violations,
};
