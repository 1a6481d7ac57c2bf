/** A client that people connect to the gateway: `bough gateway` and the page tell how in the same words. */
export interface ConnectableClient {
  readonly label: string;
  /** The program's names. */
  readonly programs: readonly string[];
  /** What the server calls it where it was seen. */
  readonly seenAs: string;
  /** What a person pastes to connect it without `bough run`. */
  readonly lines: (gateway: string, needsToken: boolean) => readonly string[];
}

/** For clients that do not start without a key; the gateway takes it for none. */
export const NO_KEY = 'bough';
export const TOKEN_HEADER = 'x-bough-token';
export const CODEX_KEY_VARIABLE = 'BOUGH_GATEWAY_KEY';
export const CODEX_TOKEN_VARIABLE = 'BOUGH_GATEWAY_TOKEN';

const OR_OWN = `${NO_KEY}   # or a key of your own`;

/** A provider of its own for Codex, as settings of its configuration file. */
export function codexSettings(baseUrl: string, needsToken: boolean): readonly string[] {
  return [
    'model_provider="bough"',
    'model_providers.bough.name="Bough"',
    `model_providers.bough.base_url="${baseUrl}"`,
    'model_providers.bough.wire_api="responses"',
    `model_providers.bough.env_key="${CODEX_KEY_VARIABLE}"`,
    ...(needsToken ? [`model_providers.bough.env_http_headers={"${TOKEN_HEADER}"="${CODEX_TOKEN_VARIABLE}"}`] : []),
  ];
}

const claudeCode: ConnectableClient = {
  label: 'Claude Code',
  programs: ['claude'],
  seenAs: 'claude-code',
  lines: (gateway, needsToken) => [
    `export ANTHROPIC_BASE_URL=${gateway}/anthropic`,
    ...(needsToken ? [`export ANTHROPIC_CUSTOM_HEADERS="${TOKEN_HEADER}: $BOUGH_TOKEN"`] : []),
    `export ANTHROPIC_AUTH_TOKEN=${NO_KEY}   # only without a login or key of your own: Bough's key is used`,
  ],
};

const codex: ConnectableClient = {
  label: 'Codex',
  programs: ['codex'],
  seenAs: 'codex',
  lines: (gateway, needsToken) => [
    '# in ~/.codex/config.toml, above the first [section]',
    'model_provider = "bough"',
    '# and at its end',
    '[model_providers.bough]',
    ...codexSettings(`${gateway}/openai_responses/v1`, needsToken)
      .filter((setting) => setting.startsWith('model_providers.'))
      .map((setting) => setting.replace('model_providers.bough.', '').replace('=', ' = ')),
    '# in the shell',
    `export ${CODEX_KEY_VARIABLE}=${OR_OWN}`,
    ...(needsToken ? [`export ${CODEX_TOKEN_VARIABLE}="$BOUGH_TOKEN"`] : []),
  ],
};

const geminiCli: ConnectableClient = {
  label: 'Gemini CLI',
  programs: ['gemini'],
  seenAs: 'gemini-cli',
  lines: (gateway, needsToken) => [
    `export GOOGLE_GEMINI_BASE_URL=${gateway}/gemini`,
    `export GEMINI_API_KEY=${OR_OWN}`,
    ...(needsToken ? [`export GEMINI_CLI_CUSTOM_HEADERS="${TOKEN_HEADER}:$BOUGH_TOKEN"`] : []),
    '# in ~/.gemini/settings.json, or as "Use Gemini API Key" in /auth',
    '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
  ],
};

/** The client's names for what it can ask, with the providers behind the gateway and the end of their base URLs. */
export const OPENCODE_PROVIDERS = [
  { protocol: 'anthropic-messages', name: 'anthropic', id: 'anthropic', version: '/v1', key: 'ANTHROPIC_API_KEY' },
  { protocol: 'openai-responses', name: 'openai', id: 'openai_responses', version: '/v1', key: 'OPENAI_API_KEY' },
  { protocol: 'gemini', name: 'google', id: 'gemini', version: '/v1beta', key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
] as const;

const opencode: ConnectableClient = {
  label: 'opencode',
  programs: ['opencode'],
  seenAs: 'opencode',
  lines: (gateway, needsToken) => {
    const headers = needsToken ? { headers: { [TOKEN_HEADER]: '{env:BOUGH_TOKEN}' } } : {};
    const provider = Object.fromEntries(
      OPENCODE_PROVIDERS.map(({ name, id, version }) => [
        name,
        { options: { baseURL: `${gateway}/${id}${version}`, apiKey: NO_KEY, ...headers } },
      ]),
    );
    return ['# in opencode.json', ...JSON.stringify({ provider }, null, 2).split('\n')];
  },
};

/** The official SDKs can send no second header, so the token of the server takes the place of the key. */
const anyProgram: ConnectableClient = {
  label: 'programs on an official SDK',
  programs: [],
  seenAs: 'sdk',
  lines: (gateway, needsToken) => {
    const key = needsToken ? '"$BOUGH_TOKEN"' : OR_OWN;
    return [
      `export ANTHROPIC_BASE_URL=${gateway}/anthropic`,
      `export ANTHROPIC_API_KEY=${key}`,
      `export OPENAI_BASE_URL=${gateway}/openai_responses/v1`,
      `export OPENAI_API_KEY=${key}`,
      `export GOOGLE_GEMINI_BASE_URL=${gateway}/gemini`,
      `export GEMINI_API_KEY=${key}`,
    ];
  },
};

export const CONNECTABLE = { claudeCode, codex, geminiCli, opencode, anyProgram } as const;
