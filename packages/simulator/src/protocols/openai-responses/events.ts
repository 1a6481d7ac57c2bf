import { frame } from './errors.ts';
import { progressOf } from './hosted.ts';
import type { Json } from './wire.ts';
import { kindOf, records, text } from './wire.ts';

/**
 * The frames of a streamed response: created, in progress, every item from its announcement to its final form, the end.
 */
export function framesOf(response: Json): readonly string[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...records(response['output']).flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: `response.${text(response['status'])}`, response },
  ];
  return events.map((event, sequence_number) => frame({ ...event, sequence_number }));
}

function itemEvents(item: Json, output_index: number): readonly Json[] {
  return [
    { type: 'response.output_item.added', output_index, item: announced(item) },
    ...contentEvents(item, { item_id: item['id'], output_index }),
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** What is known when an item begins. Its encrypted content is not yet the final one. */
function announced(item: Json): Json {
  switch (kindOf(item)) {
    case 'reasoning':
      return typeof item['encrypted_content'] === 'string'
        ? { ...item, summary: [], encrypted_content: item['encrypted_content'].slice(0, 48) }
        : { ...item, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return 'status' in item ? { ...item, status: 'in_progress' } : item;
  }
}

function contentEvents(item: Json, place: Json): readonly Json[] {
  switch (kindOf(item)) {
    case 'reasoning':
      return records(item['summary']).flatMap((part, summary_index) =>
        summaryEvents(part, { ...place, summary_index }),
      );
    case 'message':
      return records(item['content']).flatMap((part, content_index) => partEvents(part, { ...place, content_index }));
    case 'function_call':
      return [
        ...deltas('response.function_call_arguments.delta', text(item['arguments']), place),
        { type: 'response.function_call_arguments.done', ...place, name: item['name'], arguments: item['arguments'] },
      ];
    case 'custom_tool_call':
      return [
        ...deltas('response.custom_tool_call_input.delta', text(item['input']), place),
        { type: 'response.custom_tool_call_input.done', ...place, input: item['input'] },
      ];
    default:
      return progressOf(item, place);
  }
}

function summaryEvents(part: Json, place: Json): readonly Json[] {
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...deltas('response.reasoning_summary_text.delta', text(part['text']), place),
    { type: 'response.reasoning_summary_text.done', ...place, text: part['text'] },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

function partEvents(part: Json, place: Json): readonly Json[] {
  const isRefusal = part['type'] === 'refusal';
  const key = isRefusal ? 'refusal' : 'text';
  const name = isRefusal ? 'response.refusal' : 'response.output_text';
  return [
    {
      type: 'response.content_part.added',
      ...place,
      part: { ...part, [key]: '', ...(!isRefusal && { annotations: [] }) },
    },
    ...deltas(`${name}.delta`, text(part[key]), place),
    ...records(part['annotations']).map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index,
      annotation,
    })),
    { type: `${name}.done`, ...place, [key]: part[key], ...(!isRefusal && { logprobs: [] }) },
    { type: 'response.content_part.done', ...place, part },
  ];
}

const PIECE = 24;

/** Cut between characters, never inside one. */
function deltas(type: string, whole: string, place: Json): readonly Json[] {
  const characters = Array.from(whole);
  const logprobs = type === 'response.output_text.delta' ? { logprobs: [] } : {};
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, index) => ({
    type,
    ...place,
    delta: characters.slice(index * PIECE, (index + 1) * PIECE).join(''),
    ...logprobs,
  }));
}
