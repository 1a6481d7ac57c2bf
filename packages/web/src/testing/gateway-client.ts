/** A client that talks through the gateway of a server, and keeps its own history. */
export interface GatewayClient {
  /** Says something; the answer's project, once its first byte is there. */
  readonly say: (text: string) => Promise<Said>;
  /** Gives back the results of the calls in the last reply, without the thinking that it got. */
  readonly answerCarelessly: (result: string) => Promise<Said>;
}

export interface Said {
  readonly projectId: string;
  readonly repairs: string | null;
  readonly whole: Promise<void>;
  /** The client goes away. */
  readonly leave: () => void;
}

type Block = { readonly type: string; readonly id?: string };

const AGENT = 'claude-cli/2.1.325 (external, sdk-cli)';

export function gatewayClient(url: string, session: string): GatewayClient {
  let messages: readonly object[] = [];
  let last: readonly Block[] = [];
  const ask = async (stream: boolean): Promise<Said> => {
    const left = new AbortController();
    const response = await fetch(`${url}/gateway/simulated/v1/messages`, {
      method: 'POST',
      signal: left.signal,
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'user-agent': AGENT,
        'x-claude-code-session-id': session,
      },
      body: JSON.stringify({
        model: 'sim-thinker',
        max_tokens: 4_000,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        system: [{ type: 'text', text: 'You help.', cache_control: { type: 'ephemeral' } }],
        tools: [{ name: 'ls', input_schema: { type: 'object', properties: {} } }],
        messages,
        stream,
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    const whole = (async (): Promise<void> => {
      const text = await response.text();
      if (stream) return;
      const { content } = JSON.parse(text) as { content: readonly Block[] };
      last = content;
      messages = [...messages, { role: 'assistant', content }];
    })();
    const { headers } = response;
    return {
      projectId: headers.get('x-bough-project') ?? '',
      repairs: headers.get('x-bough-repairs'),
      whole,
      leave: () => left.abort(),
    };
  };
  return {
    say: (text) => {
      messages = [...messages, { role: 'user', content: text }];
      return ask(text.includes('/sim slow'));
    },
    answerCarelessly: (result) => {
      const kept = last.filter(({ type }) => type !== 'thinking');
      const results = last.flatMap(({ type, id }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: result }] : [],
      );
      messages = [...messages.slice(0, -1), { role: 'assistant', content: kept }, { role: 'user', content: results }];
      return ask(false);
    },
  };
}
