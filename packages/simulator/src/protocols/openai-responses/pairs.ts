import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import { callerOf, isGenuine } from './programs.ts';
import type { Json } from './wire.ts';
import { kindOf, records, text } from './wire.ts';

/** Which item answers which, read independently of the rulebook. */
const RESULTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  computer_call: 'computer_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
};
const RESULT_TYPES: ReadonlySet<string> = new Set(Object.values(RESULTS));

export interface PairProblem {
  readonly rule: string;
  readonly message: string;
}

/** The first call without its result, result without its call, or part of a program without the program. */
export function judgePairs(items: readonly Json[], world: World): PairProblem | null {
  const open = new Map<string, Json>();
  const calls = new Map<string, Json>();
  const programs = new Set<string>();
  for (const item of items) {
    const kind = kindOf(item);
    if (kind === 'program') {
      if (!isGenuine(item, world)) {
        return { rule: 'SIM-OAR-PROGRAM', message: `The fingerprint of program '${text(item['id'])}' is not valid.` };
      }
      programs.add(text(item['call_id']));
    }
    const program = kind === 'program_output' ? text(item['call_id']) : callerOf(item);
    if (program !== '' && !programs.has(program)) {
      return {
        rule: 'SIM-OAR-PROGRAM',
        message: `No program found for ${inWords(kind)} with caller_id ${program}.`,
      };
    }
    if (RESULTS[kind] !== undefined) {
      for (const id of idsOf(item)) calls.set(id, item);
      if (!isHostedShell(item) && item['async'] !== true) open.set(text(item['call_id']), item);
    } else if (RESULT_TYPES.has(kind)) {
      const problem = judgeResult(item, calls, open);
      if (problem !== null) return problem;
    }
  }
  const [unanswered] = open.values();
  return unanswered === undefined
    ? null
    : {
        rule: 'SIM-OAR-UNANSWERED',
        message: `No tool output found for ${inWords(kindOf(unanswered))} ${text(unanswered['call_id'])}.`,
      };
}

function judgeResult(result: Json, calls: ReadonlyMap<string, Json>, open: Map<string, Json>): PairProblem | null {
  const kind = kindOf(result);
  const [id = ''] = idsOf(result);
  // A result may name its tool instead of its call; then it answers the oldest open call of that tool.
  const byName = id === '' ? [...open.values()].find((call) => call['name'] === result['name']) : undefined;
  const call = calls.get(id) ?? byName;
  if (call === undefined || RESULTS[kindOf(call)] !== kind) {
    const what = inWords(kind.replace(/_output$/, ''));
    return { rule: 'SIM-OAR-STRAY', message: `No tool call found for ${what} output with call_id ${id}.` };
  }
  open.delete(text(call['call_id']));
  const acknowledged = records(result['acknowledged_safety_checks']).map((entry) => entry['id']);
  const pending = records(call['pending_safety_checks']).filter((entry) => !acknowledged.includes(entry['id']));
  if (pending.length === 0) return null;
  const names = pending.map((entry) => `'${text(entry['id'])}'`).join(', ');
  return { rule: 'SIM-OAR-SAFETY', message: `Computer tool has unacknowledged safety check for [${names}]` };
}

/** A local shell call is answered by its call id or by its item id. */
function idsOf(item: Json): readonly string[] {
  const ids = kindOf(item).startsWith('local_shell') ? [item['call_id'], item['id']] : [item['call_id']];
  return ids.map(text).filter((id) => id !== '');
}

function isHostedShell(item: Json): boolean {
  const environment = isPlainObject(item['environment']) ? text(item['environment']['type']) : '';
  return kindOf(item) === 'shell_call' && environment !== '' && environment !== 'local';
}

const inWords = (kind: string): string => kind.replaceAll('_', ' ');
