import { isPlainObject } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import type { ModelInfo } from '../../models/model.ts';
import type { Protocol } from '../../protocol.ts';
import type { Violation } from '../../rulebook/rule.ts';
import { readError } from './errors.ts';
import { foldBody, toContentBlocks } from './response/index.ts';
import { renderingKeys } from './request/history.ts';
import { prepare, uniqueIds } from './request/index.ts';
import { ClaudeFold } from './response/fold.ts';
import { headerContext, rules } from './rules/index.ts';
import { traitsOf } from './traits.ts';

/** The Messages API of Anthropic and of compatible servers. */
export const anthropicMessages: Protocol = {
  id: 'anthropic-messages',
  prepare,
  uniqueIds,
  renderingKeys,
  createFold: () => new ClaudeFold(),
  foldBody: (body) => foldBody(body),
  toContentBlocks,
  readError,
  check,
};

function check(body: unknown, model: ModelInfo, deployment: Deployment): readonly Violation[] {
  if (!isPlainObject(body)) {
    const finding = { path: '', message: 'The request body is not a JSON object.', status: 400 };
    return [{ ...finding, rule: 'ANT-SHAPE-1', kind: 'rejection', repaired: false }];
  }
  const context = { model, traits: traitsOf(model), ...headerContext(deployment.headers) };
  return rules.flatMap(({ id, kind, check }) =>
    check(body, context).map((finding) => ({ ...finding, rule: id, kind, repaired: false })),
  );
}
