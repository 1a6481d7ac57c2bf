/**
 * A message whose reply failed is joined with the next one before it is sent. Its commands were already obeyed; if they
 * were obeyed again, a fault that was asked for once would strike forever.
 */
export interface JoinedQuestions {
  /** The new part of a user's text: without the earlier text with commands that now precedes it. */
  readonly newPartOf: (text: string) => string;
}

export function createJoinedQuestions(limit = 500): JoinedQuestions {
  const asked = new Set<string>();
  return {
    newPartOf: (text) => {
      let longest = '';
      for (const earlier of asked) {
        // Joined messages are on lines of their own: "cut 1" is not the beginning of "cut 10".
        const isInFront = text.startsWith(earlier) && text.startsWith('\n', earlier.length);
        if (isInFront && earlier.length > longest.length) longest = earlier;
      }
      if (text.includes('/sim')) {
        asked.delete(text);
        asked.add(text);
        const [oldest] = asked;
        if (asked.size > limit && oldest !== undefined) asked.delete(oldest);
      }
      return text.slice(longest.length).trimStart();
    },
  };
}
