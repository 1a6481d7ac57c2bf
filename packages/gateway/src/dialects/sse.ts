/** An event with a name, as Anthropic and OpenAI Responses write them. */
export const namedEvent = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** An event without one. */
export const dataEvent = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
