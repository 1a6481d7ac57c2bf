import type { ProviderToolSettings } from '@bough/core';
import { PlacedText } from '../files/place.ts';

/** The place for the secret that an MCP server is shown; null if it is shown none. */
export function secretText(settings: ProviderToolSettings | undefined): PlacedText | null {
  const { authorization: name, serverUrl: url } = settings ?? {};
  return name === undefined || url === undefined ? null : new PlacedText([{ as: 'secret', name, url }]);
}
