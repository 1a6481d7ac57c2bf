import { describe, expect, it } from 'vitest';
import { chosenBy, formsOf, missingIn, switched } from './provider-tool-form.ts';

const offered = [
  { tool: 'web_search', settings: ['allowedDomains', 'maxUses', 'userLocation'], required: [] },
  { tool: 'remote_mcp', settings: ['serverUrl', 'serverLabel'], required: ['serverUrl', 'serverLabel'] },
] as const;
const asOffered = offered.map(({ tool, settings, required }) => ({
  tool,
  settings: [...settings],
  required: [...required],
}));

describe('choosing what the provider runs', () => {
  it('WEB-156: what was chosen is in the form, and comes back from it unchanged', () => {
    const chosen = [
      {
        tool: 'web_search' as const,
        settings: { allowedDomains: ['a.example', 'b.example'], maxUses: 3, userLocation: { city: 'Ulm' } },
      },
      { tool: 'code_execution' as const },
    ];
    const forms = formsOf(asOffered, chosen);
    expect(forms[0]?.values).toEqual({
      allowedDomains: 'a.example, b.example',
      maxUses: '3',
      'userLocation.city': 'Ulm',
      'userLocation.region': '',
      'userLocation.country': '',
      'userLocation.timezone': '',
    });
    expect(chosenBy(forms, chosen)).toEqual(chosen);
  });

  it('WEB-156: a second server stays, unless the tool is switched off', () => {
    const server = (serverLabel: string) => ({
      tool: 'remote_mcp' as const,
      settings: { serverUrl: 'https://a.example/', serverLabel },
    });
    const chosen = [server('one'), server('two')];
    const forms = formsOf(asOffered, chosen);
    expect(chosenBy(forms, chosen)).toEqual(chosen);
    expect(
      chosenBy(
        forms.map((form) => ({ ...form, on: false })),
        chosen,
      ),
    ).toEqual([]);
  });

  it('WEB-156: what is required and empty is named, for tools that are on', () => {
    const forms = formsOf(asOffered, []);
    expect(missingIn(forms, asOffered)).toEqual([]);
    expect(
      missingIn(
        forms.map((form) => ({ ...form, on: true })),
        asOffered,
      ),
    ).toEqual(['serverUrl', 'serverLabel']);
  });

  it('WEB-156: one tool is switched without touching the others', () => {
    const on = switched([{ tool: 'code_execution' }], 'web_search', true);
    expect(on).toEqual([{ tool: 'code_execution' }, { tool: 'web_search' }]);
    expect(switched(on, 'code_execution', false)).toEqual([{ tool: 'web_search' }]);
  });
});
