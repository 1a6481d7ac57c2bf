import { CONTENT_CASES } from './content.ts';
import { FILE_CASES } from './files.ts';
import { LOSSES_CASES } from './losses.ts';
import { ORDER_CASES } from './order.ts';
import { PAIRING_CASES } from './pairing.ts';
import { PARAMETERS_CASES } from './parameters.ts';
import { REASONING_CASES } from './reasoning.ts';
import { ROLE_CASES } from './roles.ts';
import { SHAPE_CASES } from './shape.ts';

export * from './case.ts';

/** At least one body that each rule accepts, and one that it refuses. Only for tests. */
export const CASES = [
  ...SHAPE_CASES,
  ...PARAMETERS_CASES,
  ...ROLE_CASES,
  ...CONTENT_CASES,
  ...FILE_CASES,
  ...PAIRING_CASES,
  ...REASONING_CASES,
  ...ORDER_CASES,
  ...LOSSES_CASES,
];
