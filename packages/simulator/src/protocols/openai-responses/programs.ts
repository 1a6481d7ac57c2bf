import { isPlainObject } from '@bough/core';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import { seal, unseal } from './seal.ts';
import type { OfferedTool } from './tools.ts';
import type { Json } from './wire.ts';
import { kindOf, text } from './wire.ts';

/** The program that made this call, or that this result belongs to. */
export function callerOf(item: Json): string {
  const caller = item['caller'];
  return isPlainObject(caller) && caller['type'] === 'program' ? text(caller['caller_id']) : '';
}

/** A program that calls what the plan wants to call, if the tools allow that. */
export function programFor(
  { parts }: Reply,
  tools: ReadonlyMap<string, OfferedTool>,
  model: string,
  world: World,
): Json | null {
  const calls = parts.filter((part) => part.type === 'tool_call');
  if (calls.length === 0 || !calls.every(({ name }) => tools.get(name)?.programmatic === true)) return null;
  const id = world.newId('prog_', 48);
  const lines = calls.map(({ name, parameters }) => `await tools.${name}(${JSON.stringify(parameters)})`);
  return {
    id,
    type: 'program',
    call_id: world.newId('call_', 24),
    code: `return [${lines.join(', ')}];`,
    fingerprint: seal(world, { model, id, follower: '', followerKind: 'program' }),
  };
}

/** Whether the fingerprint is the one that this program was given. */
export function isGenuine(program: Json, world: World): boolean {
  const sealed = unseal(world, text(program['fingerprint']));
  return sealed !== null && sealed.followerKind === 'program' && sealed.id === text(program['id']);
}

/** What the programs returned whose calls have all been answered by now. */
export function programOutputs(items: readonly Json[], world: World): readonly Json[] {
  const ended = new Set(items.filter((item) => kindOf(item) === 'program_output').map((item) => item['call_id']));
  return items
    .filter((item) => kindOf(item) === 'program' && !ended.has(item['call_id']))
    .map((program) => {
      const results = items.filter(
        (item) => kindOf(item).endsWith('_output') && answersCallOf(item, text(program['call_id']), items),
      );
      return {
        id: world.newId('progo_', 48),
        type: 'program_output',
        call_id: program['call_id'],
        result: JSON.stringify(results.map((item) => item['output'] ?? null)),
        status: 'completed',
      };
    });
}

function answersCallOf(result: Json, program: string, items: readonly Json[]): boolean {
  return items.some((call) => callerOf(call) === program && call['call_id'] === result['call_id'] && call !== result);
}
