import { isProgram, isProgramOutput, programOf } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { stringOf, typeOf } from '../wire.ts';
import { dropItems } from './atoms.ts';
import type { Placed, ResponsesBody, ResponsesRule } from './context.ts';
import { placedItems, rejection } from './context.ts';

/** The program that an item is part of: its own, the one that it is the result of, or the one that called. */
function programIn(item: WireItem): string | undefined {
  return isProgram(item) || isProgramOutput(item) ? stringOf(item['call_id']) : programOf(item);
}

export const programIsWhole: ResponsesRule = {
  id: 'OAR-PROG-1',
  title: 'What a program called, what it got and what it returned stand behind the program.',
  reference: 'https://github.com/openai/openai-agents-python/pull/3833',
  kind: 'rejection',
  check: (body) =>
    danglingParts(body).map(({ item, at }) =>
      // That a part without its program is refused follows from the schema; the sentence is not known.
      rejection(
        `input[${at}]`,
        `No program found for ${typeOf(item).replaceAll('_', ' ')} with caller_id ${programIn(item) ?? ''}.`,
      ),
    ),
  repair: (body) => dropItems(body, danglingParts(body)),
};

function danglingParts(body: ResponsesBody): readonly Placed[] {
  // The program may be in a response, or behind a reference, that the provider holds.
  if (typeof body['previous_response_id'] === 'string' || body['conversation'] != null) return [];
  const items = placedItems(body);
  if (items.some(({ item }) => typeOf(item) === 'item_reference')) return [];
  const begun = new Set<string | undefined>();
  return items.filter(({ item }) => {
    const program = programIn(item);
    if (isProgram(item)) begun.add(program);
    return program !== undefined && !begun.has(program);
  });
}

/** The same items and all other parts of the programs that they belong to: a program is sent whole or not at all. */
export function withWholePrograms(body: ResponsesBody, lost: readonly Placed[]): readonly Placed[] {
  const programs = new Set(lost.map(({ item }) => programIn(item)).filter((program) => program !== undefined));
  if (programs.size === 0) return lost;
  const places = new Set(lost.map(({ at }) => at));
  return placedItems(body).filter(({ item, at }) => places.has(at) || programs.has(programIn(item) ?? ''));
}
