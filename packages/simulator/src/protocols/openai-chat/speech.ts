import type { Reply, ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { Json } from './request.ts';
import { textOf } from './request.ts';
import { encrypt, formatOf, signText } from './seals.ts';
import type { ReasoningForm, Vendor } from './vendors.ts';

export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  /** The text that a custom tool takes, the JSON that a function takes. */
  readonly arguments: string;
  readonly takesText: boolean;
}

/** A reply in a vendor's words: as the deltas of a stream, and as one message. */
export interface Spoken {
  readonly deltas: readonly Json[];
  readonly message: Json;
  readonly content: string;
  readonly reasoning: string;
  readonly details: readonly Json[];
  readonly calls: readonly SpokenCall[];
  readonly finish: string;
  readonly hiddenCharacters: number;
}

const PIECE = 24;

export interface SpeechOptions {
  readonly vendor: Vendor;
  readonly model: string;
  /** The tools that are called with plain text. */
  readonly textTools: ReadonlySet<string>;
  /** The request forced one certain tool: then the reply does not say that it ended for a call. */
  readonly forced: boolean;
}

export function speak(reply: Reply, options: SpeechOptions, world: World): Spoken {
  const form = options.vendor.reasoning(options.model);
  const speech = new Speech(options, form, world);
  for (const part of inOrder(reply.parts, form)) speech.say(part);
  return speech.end(reply.stop);
}

/** Tags and content parts hold one thought, at the beginning: later thoughts are joined to it. */
function inOrder(parts: readonly ReplyPart[], form: ReasoningForm): readonly ReplyPart[] {
  if (form !== 'tags' && form !== 'chunks') return parts;
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : []));
  const rest = parts.filter((part) => part.type !== 'thinking');
  return thoughts.length === 0 ? rest : [{ type: 'thinking', text: thoughts.join('\n\n') }, ...rest];
}

class Speech {
  readonly #options: SpeechOptions;
  readonly #vendor: Vendor;
  readonly #form: ReasoningForm;
  readonly #model: string;
  readonly #world: World;
  readonly #deltas: Json[] = [];
  readonly #details: Json[] = [];
  readonly #calls: SpokenCall[] = [];
  readonly #extras: Record<string, unknown> = {};
  #content = '';
  #reasoning = '';
  #chunks: Json[] = [];
  #hidden = 0;

  constructor(options: SpeechOptions, form: ReasoningForm, world: World) {
    this.#options = options;
    this.#vendor = options.vendor;
    this.#form = form;
    this.#model = options.model;
    this.#world = world;
  }

  say(part: ReplyPart): void {
    switch (part.type) {
      case 'thinking':
        return this.#think(part.text);
      case 'redacted_thinking':
        if (this.#form === 'details') this.#encrypted(part.seed);
        return;
      case 'text':
        return this.#text(part.text);
      case 'refusal':
        if (!this.#vendor.refusalField) return this.#text(part.text);
        this.#extras['refusal'] = part.text;
        for (const piece of pieces(part.text)) this.#deltas.push({ refusal: piece });
        return;
      case 'unknown_block':
        this.#extras[part.name] = { note: 'A field that no client knows.' };
        this.#deltas.push({ [part.name]: this.#extras[part.name] });
        return;
      case 'tool_call':
        return this.#call(part.name, part.parameters);
    }
  }

  end(stop: Reply['stop']): Spoken {
    const toolCalls = this.#calls.map((call, index) => ({ index, ...wireCall(call) }));
    return {
      deltas: this.#deltas,
      message: {
        role: 'assistant',
        content: this.#chunks.length > 0 ? this.#chunks : this.#content === '' ? null : this.#content,
        ...this.#reasoningFields(),
        ...this.#extras,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      },
      content: this.#content,
      reasoning: this.#reasoning,
      details: this.#details,
      calls: this.#calls,
      finish: this.#finish(stop),
      hiddenCharacters: this.#hidden,
    };
  }

  #reasoningFields(): Json {
    if (this.#reasoning === '' && this.#details.length === 0) return {};
    switch (this.#form) {
      case 'reasoning_content':
        return { reasoning_content: this.#reasoning };
      case 'reasoning':
        return { reasoning: this.#reasoning };
      case 'details':
        return { reasoning: this.#reasoning, reasoning_details: this.#details };
      case 'tags':
      case 'chunks':
      case 'hidden':
        return {};
    }
  }

  #finish(stop: Reply['stop']): string {
    if (stop === 'refusal') return this.#vendor.refusalField ? 'stop' : 'content_filter';
    if (stop === 'tool_use' && this.#options.forced) return 'stop';
    return { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' }[stop];
  }

  #think(text: string): void {
    switch (this.#form) {
      case 'hidden':
        this.#hidden += text.length;
        return;
      case 'tags':
        return this.#text(`<think>\n${text}\n</think>\n\n`);
      case 'chunks':
        this.#reasoning += text;
        this.#chunks.push(thinkingChunk(text));
        for (const piece of pieces(text)) this.#deltas.push({ content: [thinkingChunk(piece)] });
        return;
      case 'reasoning_content':
      case 'reasoning':
        this.#reasoning += text;
        for (const piece of pieces(text)) this.#deltas.push({ content: null, [this.#form]: piece });
        return;
      case 'details':
        this.#reasoning += text;
        return this.#detail(text);
    }
  }

  /** A thought from a gateway: its text in fragments, then its seal, and the text once more under the older name. */
  #detail(text: string): void {
    const format = formatOf(this.#model);
    const index = this.#details.length;
    const summary = format === 'openai-responses-v1';
    const type = summary ? 'reasoning.summary' : 'reasoning.text';
    const key = summary ? 'summary' : 'text';
    for (const piece of pieces(text)) {
      this.#deltas.push({ content: '', reasoning: piece, reasoning_details: [{ type, [key]: piece, format, index }] });
    }
    if (format !== 'anthropic-claude-v1') {
      this.#details.push({ type, [key]: text, format, index });
      if (format !== 'unknown') this.#encrypted(text);
      return;
    }
    const signature = signText(this.#world, this.#model, text);
    this.#deltas.push({ content: '', reasoning_details: [{ type, signature, format, index }] });
    this.#details.push({ type, text, format, index, signature });
  }

  #encrypted(secret: string): void {
    const format = formatOf(this.#model);
    const entry: Json = {
      type: 'reasoning.encrypted',
      data: encrypt(this.#world, this.#model, secret),
      ...(format === 'openai-responses-v1' && { id: this.#world.newId('rs_', 32) }),
      format,
      index: this.#details.length,
    };
    this.#details.push(entry);
    this.#deltas.push({ content: '', reasoning_details: [entry] });
  }

  #text(text: string): void {
    this.#content += text;
    if (this.#form === 'chunks' && this.#chunks.length > 0) this.#chunks.push({ type: 'text', text });
    for (const piece of pieces(text)) this.#deltas.push({ content: piece });
  }

  #call(name: string, parameters: Json): void {
    const index = this.#calls.length;
    const [prefix, length] = this.#vendor.callId;
    const takesText = this.#options.textTools.has(name);
    const written = takesText ? (textOf(parameters, 'input') ?? '') : looseJson(parameters);
    const call = { id: this.#world.newId(prefix, length), name, arguments: written, takesText };
    this.#calls.push(call);
    if (this.#vendor.wholeCalls) {
      this.#deltas.push({ content: '', tool_calls: [{ index, ...wireCall(call) }] });
      return;
    }
    this.#deltas.push({ content: null, tool_calls: [{ index, ...wireCall({ ...call, arguments: '' }) }] });
    for (const piece of pieces(call.arguments)) {
      const more = takesText ? { custom: { input: piece } } : { function: { arguments: piece } };
      this.#deltas.push({ tool_calls: [{ index, ...more }] });
    }
  }
}

function wireCall(call: SpokenCall): Json {
  if (call.takesText) return { id: call.id, type: 'custom', custom: { name: call.name, input: call.arguments } };
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function thinkingChunk(text: string): Json {
  return { type: 'thinking', thinking: [{ type: 'text', text }] };
}

/** Models write JSON with their own spacing: a client that parses and rewrites it sends something else back. */
function looseJson(value: Json): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
}

/** A text in pieces, cut anywhere but inside a character. */
function pieces(text: string): readonly string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, index) =>
    characters.slice(index * PIECE, (index + 1) * PIECE).join(''),
  );
}
