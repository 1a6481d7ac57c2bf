/** The MCP servers of the simulated world: those at this address let in only whoever shows the token. */
export const PRIVATE_MCP = 'https://private.example.com';
export const MCP_TOKEN = 'the-token-of-the-private-server';

/** Whether a server answers: a public one does so whatever it is shown. */
export function letsIn(url: unknown, token: unknown): boolean {
  const isPrivate = typeof url === 'string' && URL.canParse(url) && new URL(url).origin === PRIVATE_MCP;
  return !isPrivate || token === MCP_TOKEN;
}
