import { describe, expect, it } from 'vitest';
import { clientOf, sessionProject } from './index.ts';

const seen: readonly [string, Readonly<Record<string, string>>, string, object][] = [
  [
    'Claude Code',
    { 'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)', 'x-claude-code-session-id': 'c-1' },
    '{}',
    { name: 'claude-code', version: 'claude-code/2.1.325', label: 'Claude Code', isAgent: true, session: 'c-1' },
  ],
  [
    'Claude Code without the header',
    { 'user-agent': 'claude-cli/2.1.0 (external, cli)' },
    JSON.stringify({ model: 'm', metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: 'c-2' }) } }),
    { name: 'claude-code', session: 'c-2' },
  ],
  [
    'Codex',
    { 'user-agent': 'codex_exec/0.166.0 (Linux)', 'session-id': 's-1', 'thread-id': 't-1' },
    '{}',
    { name: 'codex', version: 'codex/0.166.0', label: 'Codex', isAgent: true, session: 's-1' },
  ],
  [
    'Codex without the header',
    { 'user-agent': 'codex_cli_rs/0.166.0' },
    '{"input":[],"prompt_cache_key":"thread-9"}',
    { name: 'codex', session: 'thread-9' },
  ],
  [
    'Gemini CLI',
    { 'user-agent': 'GeminiCLI-tui/0.61.0/gemini-3-pro (linux; x64; terminal)' },
    '{}',
    { name: 'gemini-cli', version: 'gemini-cli/0.61.0', isAgent: true, session: null },
  ],
  [
    'opencode',
    { 'user-agent': 'opencode/1.18.33 ai-sdk/anthropic/4.0.0', 'x-session-id': 'o-1' },
    '{}',
    { name: 'opencode', version: 'opencode/1.18.33', isAgent: true, session: 'o-1' },
  ],
  [
    'an official SDK, whose cache key is one for everything',
    { 'user-agent': 'OpenAI/JS 6.1.0' },
    '{"prompt_cache_key":"my app"}',
    { name: 'sdk', label: 'SDK', isAgent: false, session: null },
  ],
  [
    'the AI SDK',
    { 'user-agent': 'ai/5.0.60 ai-sdk/openai/2.0.42 ai-sdk/provider-utils/3.0.10 runtime/node.js/20' },
    '{}',
    { name: 'sdk', session: null },
  ],
  ['an official SDK of Python', { 'user-agent': 'AsyncOpenAI/Python 2.1.0' }, '{}', { name: 'sdk' }],
  [
    'any other program',
    { 'user-agent': 'my-tool/1.0 something' },
    '{}',
    { name: 'my-tool', version: 'my-tool/1.0', label: 'my-tool', isAgent: false, session: null },
  ],
  ['nobody', {}, '{}', { name: 'unknown', session: null }],
];

describe('clients', () => {
  it.each(seen)('GW-20: %s', (_, headers, body, expected) => {
    expect(clientOf(headers, body)).toMatchObject(expected);
  });

  it('GW-20: every client may declare its session with a header of Bough’s', () => {
    for (const [, headers, body] of seen)
      expect(clientOf({ ...headers, 'x-bough-session': 'mine' }, body).session).toBe('mine');
  });

  it('GW-20: a session has one project, whichever version of its client and whichever server asks', () => {
    const older = clientOf({ 'user-agent': 'claude-cli/2.1.0', 'x-claude-code-session-id': 'c' }, '{}');
    const newer = clientOf({ 'user-agent': 'claude-cli/2.2.0', 'x-claude-code-session-id': 'c' }, '{}');
    expect(sessionProject(older)).toMatch(/^gateway-[0-9a-f]{32}$/);
    expect(sessionProject(newer)).toBe(sessionProject(older));
    expect(sessionProject({ ...newer, name: 'codex' })).not.toBe(sessionProject(older));
    expect(sessionProject({ ...newer, session: null })).toBeNull();
  });

  it('GW-20: what a client declares is a word and nothing else', () => {
    const odd = clientOf({ 'user-agent': 'sömething\u0000/<script>', 'x-bough-session': 'x'.repeat(5_000) }, 'no JSON');
    expect(odd.session).toHaveLength(256);
    expect(odd.version).toMatch(/^[\x21-\x7e]*$/);
  });

  it('GW-66: a body that is no JSON declares nothing, and is nobody’s fault here', () => {
    for (const body of [
      '{model:1}',
      '{"a\\x":1}',
      '{"metadata":{nothing},"client_metadata":}',
      '{"prompt_cache_key":x}',
    ])
      expect(clientOf({ 'user-agent': 'codex_exec/1' }, body)).toMatchObject({ name: 'codex', session: null });
  });
});
