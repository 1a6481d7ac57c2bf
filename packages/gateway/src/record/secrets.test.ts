import { nodeId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { writeBody } from './exchange.ts';
import { withoutSecrets } from './secrets.ts';

describe('secrets in bodies', () => {
  it('GW-46: what opens a server with tools is not stored, however it is written; everything else stays', () => {
    const text =
      '{ "model":"m", "mcp_servers":[ {"url":"https://a","authorization_token" : "se\\u0063ret"} , {"url":"https://b"}],' +
      '"tools":[{"type":"mcp","authorization":"secret","headers":{"X-Key":"other","n":1},"server_label":"s"}],' +
      '"messages":[{"role":"user","content":"my \\"authorization\\": \\"secret\\""}]}';
    expect(withoutSecrets(text)).toBe(
      '{ "model":"m", "mcp_servers":[ {"url":"https://a","authorization_token" : "[secret]"} , {"url":"https://b"}],' +
        '"tools":[{"type":"mcp","authorization":"[secret]","headers":{"X-Key":"[secret]","n":1},"server_label":"s"}],' +
        '"messages":[{"role":"user","content":"my \\"authorization\\": \\"secret\\""}]}',
    );
  });

  it('GW-46: no piece of a stored body holds one', () => {
    const body = { mcp_servers: [{ url: 'https://a', authorization_token: 'tok-123' }], messages: ['x'.repeat(500)] };
    const { renderings } = writeBody(JSON.stringify(body), nodeId('n'), []);
    const stored = renderings.map(({ bytes }) => bytes).join('');
    expect(stored).toContain('https://a');
    expect(stored).not.toContain('tok-123');
  });

  it('GW-46: a tool that has a parameter of that name is no secret', () => {
    const text = '{"tools":[{"name":"f","input_schema":{"properties":{"headers":{"type":"object"}}}}]}';
    expect(withoutSecrets(text)).toBe(text);
  });
});
