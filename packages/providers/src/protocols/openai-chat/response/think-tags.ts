/** A run of text, and whether it is inside the tags. */
export interface TaggedText {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Splits content that begins with `<think>` into reasoning and text, even if chunk borders cut the tags. A tag counts
 * only at the very beginning: further down it is something that the model writes about. The tags themselves and the
 * white space before the first one are markup and belong to neither side; every other character comes out, in order.
 */
export class ThinkTags {
  #state: 'start' | 'thinking' | 'text' = 'start';
  /** Characters that may be the beginning of a tag. Emitted too early, half a tag would stay in the text forever. */
  #held = '';

  /** From here on content is plain text: the server has another field for its reasoning. */
  disable(): TaggedText[] {
    const held = this.flush();
    this.#state = 'text';
    return held;
  }

  push(text: string): TaggedText[] {
    if (this.#state === 'text') return text === '' ? [] : [{ kind: 'text', text }];
    this.#held += text;
    return this.#state === 'start' ? this.#start() : this.#thinking();
  }

  /** What is still held when the content ends: an unfinished tag is not a tag. */
  flush(): TaggedText[] {
    const text = this.#held;
    this.#held = '';
    if (text === '') return [];
    return [{ kind: this.#state === 'thinking' ? 'thinking' : 'text', text }];
  }

  #start(): TaggedText[] {
    const trimmed = this.#held.trimStart();
    if (trimmed.startsWith(OPEN)) {
      this.#state = 'thinking';
      this.#held = trimmed.slice(OPEN.length);
      return this.#thinking();
    }
    if (OPEN.startsWith(trimmed)) return [];
    this.#state = 'text';
    return this.flush();
  }

  #thinking(): TaggedText[] {
    const end = this.#held.indexOf(CLOSE);
    if (end >= 0) {
      const after = this.#held.slice(end + CLOSE.length);
      const parts: TaggedText[] = [
        { kind: 'thinking', text: this.#held.slice(0, end) },
        { kind: 'text', text: after },
      ];
      this.#held = '';
      this.#state = 'text';
      return parts.filter((part) => part.text !== '');
    }
    const keep = heldLength(this.#held);
    const text = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(text.length);
    return text === '' ? [] : [{ kind: 'thinking', text }];
  }
}

/** How many characters at the end could still become the closing tag. */
function heldLength(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** The same split for content that is whole. */
export function splitThinkTags(content: string): { readonly thinking: string | null; readonly text: string } {
  const tags = new ThinkTags();
  const parts = [...tags.push(content), ...tags.flush()];
  const tagged = content.trimStart().startsWith(OPEN);
  const join = (kind: TaggedText['kind']): string =>
    parts
      .filter((part) => part.kind === kind)
      .map((part) => part.text)
      .join('');
  return { thinking: tagged ? join('thinking') : null, text: join('text') };
}
