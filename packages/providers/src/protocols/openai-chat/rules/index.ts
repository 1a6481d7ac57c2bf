import { isPlainObject } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import type { ModelInfo } from '../../../models/model.ts';
import type { Violation } from '../../../rulebook/rule.ts';
import { quirksOf } from '../traits.ts';
import { CONTENT_RULES } from './content.ts';
import { FILE_RULES } from './files.ts';
import { LOSS_RULES } from './losses.ts';
import { ORDER_RULES } from './order.ts';
import { PAIRING_RULES } from './pairing.ts';
import { PARAMETER_RULES } from './parameters.ts';
import { REASONING_RULES } from './reasoning.ts';
import type { ChatRule } from './context.ts';
import { ROLE_RULES } from './roles.ts';
import { SHAPE_RULES } from './shape.ts';

export type { ChatRule } from './context.ts';

/** In the order in which they are checked and repaired: a repair may rely on the rules before it. */
export const RULES: readonly ChatRule[] = [
  ...SHAPE_RULES,
  ...PARAMETER_RULES,
  ...ROLE_RULES,
  ...CONTENT_RULES,
  ...FILE_RULES,
  ...PAIRING_RULES,
  ...REASONING_RULES,
  ...ORDER_RULES,
  ...LOSS_RULES,
];

/** Runs the rulebook on a finished body, whatever it holds. Repairs nothing. */
export function check(body: unknown, model: ModelInfo, deployment: Deployment): readonly Violation[] {
  const context = { quirks: quirksOf(deployment, model), model };
  const json = isPlainObject(body) ? body : {};
  return RULES.flatMap((rule) =>
    rule.check(json, context).map((found) => ({ ...found, rule: rule.id, kind: rule.kind, repaired: false })),
  );
}
