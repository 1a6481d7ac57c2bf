/** One entry of the list of messages: a heading that names rules, a fence with what they say, and an explanation. */
export interface Entry {
  readonly section: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** With `{…}` for the parts that vary. */
  readonly messages: readonly string[];
  readonly text: string;
  /** Whether a message is one of these. */
  readonly says: (message: string) => boolean;
}

export function readEntries(document: string): readonly Entry[] {
  return document.split(/^## /m).flatMap((part) => {
    const [section = ''] = part.split('\n', 1);
    return part
      .split(/^### /m)
      .slice(1)
      .map((entry) => readEntry(section, entry));
  });
}

function readEntry(section: string, entry: string): Entry {
  const [title = ''] = entry.split('\n', 1);
  const [names = ''] = title.split(' · ', 1);
  const [, fence = ''] = /```text\n([\s\S]*?)\n```/.exec(entry) ?? [];
  const messages = fence.split('\n').filter((line) => line !== '');
  const patterns = messages.map(patternOf);
  return {
    section,
    title,
    rules: names.split(', '),
    messages,
    text: entry.replace(/```[\s\S]*?```/g, ''),
    says: (message) => patterns.some((pattern) => pattern.test(message)),
  };
}

/** `{id}` stands for any text; braces that contain anything but letters are part of the message. */
function patternOf(message: string): RegExp {
  const fixed = message.split(/\{[a-z]+\}/).map((piece) => piece.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${fixed.join('.+')}$`, 's');
}
