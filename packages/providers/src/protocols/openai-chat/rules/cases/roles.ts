import { openai } from '../../../../deployments/openai.ts';
import type { Case } from './case.ts';
import { ask, chat } from './case.ts';

const brief = { role: 'system', content: 'Be brief.' };

export const ROLE_CASES: readonly Case[] = [
  {
    rule: 'OAC-ROLE-1',
    server: openai,
    model: 'o1-mini',
    passes: chat({ ...brief, role: 'user' }, ask),
    fails: chat(brief, ask),
    says: "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
  },
];
