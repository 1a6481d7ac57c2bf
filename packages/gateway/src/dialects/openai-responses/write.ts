import type { Usage } from '@bough/core';
import { failureOf } from '../failure.ts';
import { argumentsOf, stringOf } from '../json.ts';
import type { OpenBlock, Step } from '../sequence.ts';
import { Sequence } from '../sequence.ts';
import { namedEvent } from '../sse.ts';
import type { ClientTool, CreateWriter, Ending, WriteOptions } from '../writer.ts';
import { endOf } from '../writer.ts';
import { openaiEnvelope } from './errors.ts';

export const writeResponses: CreateWriter = (options) => {
  const writer = new ResponseWriter(options);
  const sequence = new Sequence();
  return {
    push: (event) => {
      const steps = sequence.push(event);
      return steps.length === 0 ? '' : writer.begin() + steps.map((step) => writer.write(step)).join('');
    },
    body: () => writer.response,
  };
};

/** An item while it is written. */
interface Draft {
  readonly id: string;
  readonly block: OpenBlock;
  readonly tool: ClientTool | null;
  /** Whether the part that its text grows in was announced. */
  hasPart: boolean;
}

class ResponseWriter {
  response: Readonly<Record<string, unknown>>;
  readonly #options: WriteOptions;
  readonly #output: unknown[] = [];
  #number = 0;
  #begun = false;
  #item: Draft | null = null;

  constructor(options: WriteOptions) {
    this.#options = options;
    this.response = {
      id: `resp_${options.id}`,
      object: 'response',
      created_at: options.created,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      metadata: {},
      model: options.model,
      output: [],
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: false,
      temperature: 1,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      truncation: 'disabled',
      usage: null,
    };
  }

  begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    const { response } = this;
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  write(step: Step): string {
    switch (step.type) {
      case 'open':
        return this.#open(step.block);
      case 'grow':
        return this.#grow(step.text);
      case 'close':
        return this.#close(step.text, step.whole);
      case 'end':
        return this.#end(step.ending);
    }
  }

  #open(block: OpenBlock): string {
    const tool = block.kind === 'call' ? this.#options.toolOf(block.name) : null;
    const id = `${prefixOf(block, tool)}_${this.#options.id}${this.#output.length}`;
    this.#item = { id, block, tool, hasPart: block.kind === 'text' || block.kind === 'refusal' };
    const item = itemOf(this.#item, '', 'in_progress', null);
    const added = this.#event('response.output_item.added', { output_index: this.#output.length, item });
    // A thought of which nothing is shown has no summary, not an empty one.
    return this.#item.hasPart ? added + this.#part('added', '') : added;
  }

  #grow(delta: string): string {
    const item = this.#item;
    if (item === null) return '';
    switch (item.block.kind) {
      case 'text':
        return this.#inItem('response.output_text.delta', { content_index: 0, delta, logprobs: [] });
      case 'refusal':
        return this.#inItem('response.refusal.delta', { content_index: 0, delta });
      case 'thinking': {
        const part = item.hasPart ? '' : this.#part('added', '');
        item.hasPart = true;
        return part + this.#inItem('response.reasoning_summary_text.delta', { summary_index: 0, delta });
      }
      case 'call':
        // The text of a tool that takes no object is known when the object around it is whole.
        return item.tool?.kind === 'custom' ? '' : this.#inItem('response.function_call_arguments.delta', { delta });
    }
  }

  #close(text: string, whole: boolean): string {
    const draft = this.#item;
    if (draft === null) return '';
    const item = itemOf(draft, text, whole ? 'completed' : 'incomplete', this.#options.token);
    const done = this.#contentDone(draft, text) + (draft.hasPart ? this.#part('done', text) : '');
    const event = this.#event('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#item = null;
    return done + event;
  }

  #contentDone({ block, tool }: Draft, text: string): string {
    switch (block.kind) {
      case 'text':
        return this.#inItem('response.output_text.done', { content_index: 0, text, logprobs: [] });
      case 'refusal':
        return this.#inItem('response.refusal.done', { content_index: 0, refusal: text });
      case 'thinking':
        return text === '' ? '' : this.#inItem('response.reasoning_summary_text.done', { summary_index: 0, text });
      case 'call': {
        if (tool?.kind !== 'custom') {
          return this.#inItem('response.function_call_arguments.done', { arguments: text, name: tool?.name });
        }
        const input = inputOf(text);
        return (
          this.#inItem('response.custom_tool_call_input.delta', { delta: input }) +
          this.#inItem('response.custom_tool_call_input.done', { input })
        );
      }
    }
  }

  /** The part of a message, or of a summary: one is enough for a block. */
  #part(what: 'added' | 'done', text: string): string {
    const kind = this.#item?.block.kind;
    if (kind === 'text' || kind === 'refusal') {
      return this.#inItem(`response.content_part.${what}`, { content_index: 0, part: contentPart(kind, text) });
    }
    const part = { type: 'summary_text', text };
    return this.#inItem(`response.reasoning_summary_part.${what}`, { summary_index: 0, part });
  }

  #end(ending: Ending): string {
    const { error } = ending;
    const output = this.#output;
    const usage = usageOf(ending.usage, this.#options);
    if (error !== null) {
      const { code, message } = openaiEnvelope(failureOf(error)).error;
      const failed = { status: 'failed', error: { code: code ?? 'server_error', message } };
      this.response = { ...this.response, ...failed, output, usage };
      return this.#event('response.failed', { response: this.response });
    }
    const end = endOf(ending);
    const cut =
      end === 'length' ? 'max_output_tokens' : end === 'refusal' && !isRefused(output) ? 'content_filter' : null;
    const status = cut === null ? 'completed' : 'incomplete';
    const details = cut === null ? null : { reason: cut };
    this.response = { ...this.response, status, incomplete_details: details, output, usage };
    return this.#event(`response.${status}`, { response: this.response });
  }

  #inItem(type: string, fields: object): string {
    return this.#event(type, { item_id: this.#item?.id, output_index: this.#output.length, ...fields });
  }

  #event(type: string, fields: object): string {
    return namedEvent({ type, sequence_number: this.#number++, ...fields } as { readonly type: string });
  }
}

function prefixOf(block: OpenBlock, tool: ClientTool | null): string {
  if (block.kind === 'call') return tool?.kind === 'custom' ? 'ctc' : 'fc';
  return block.kind === 'thinking' ? 'rs' : 'msg';
}

/** The item as it stands: `text` is what it holds so far. */
function itemOf({ id, block, tool }: Draft, text: string, status: string, token: string | null): object {
  switch (block.kind) {
    case 'thinking': {
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      return { id, type: 'reasoning', summary, ...(token !== null && { encrypted_content: token }) };
    }
    case 'call': {
      const { name, namespace, kind } = tool ?? { name: block.name, namespace: null, kind: 'function' };
      const called = { call_id: block.id, name, ...(namespace !== null && { namespace }), status };
      if (kind === 'custom') return { id, type: 'custom_tool_call', ...called, input: inputOf(text) };
      return { id, type: 'function_call', ...called, arguments: text };
    }
    case 'text':
    case 'refusal': {
      const content = text === '' ? [] : [contentPart(block.kind, text)];
      return { id, type: 'message', status, role: 'assistant', content };
    }
  }
}

const contentPart = (kind: 'text' | 'refusal', text: string): object =>
  kind === 'text' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'refusal', refusal: text };

const inputOf = (json: string): string => stringOf(argumentsOf(json)?.['input']) ?? '';

const isRefused = (output: readonly unknown[]): boolean => JSON.stringify(output.at(-1) ?? null).includes('"refusal"');

function usageOf(usage: Usage, { inputTokens }: WriteOptions): object {
  const input = usage.inputTokens ?? inputTokens;
  const output = usage.outputTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}
