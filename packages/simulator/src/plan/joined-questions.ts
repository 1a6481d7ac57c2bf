/**
 * A message whose reply failed is joined with the next one before it is sent. Its commands were obeyed then: obeyed
 * again, a fault that somebody asked for once would strike for ever.
 */
export interface JoinedQuestions {
  /** What of a user's text is new: without the text with commands that was asked before and stands in front of it. */
  readonly newPartOf: (text: string) => string;
}

export function createJoinedQuestions(limit = 500): JoinedQuestions {
  const asked = new Set<string>();
  return {
    newPartOf: (text) => {
      let longest = '';
      for (const earlier of asked) {
        // Joined messages stand on lines of their own: "cut 1" is not the beginning of "cut 10".
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
