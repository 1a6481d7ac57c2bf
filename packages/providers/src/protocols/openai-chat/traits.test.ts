import { describe, expect, it } from 'vitest';
import { BUILT_IN_DEPLOYMENTS } from '../../deployments/index.ts';
import { DEFAULT_QUIRKS, InvalidQuirkError, MissingBlankError, parseQuirks, quirksOf } from './traits.ts';

describe('quirks', () => {
  it('OAC-21: a model’s traits override its deployment’s quirks, which override the defaults', () => {
    const quirks = quirksOf(
      { quirks: { reasoning: 'reasoning', tokens: 'max_completion_tokens' } },
      { traits: { reasoning: 'none', context: 'not a quirk' } },
    );
    expect(quirks).toEqual({ ...DEFAULT_QUIRKS, reasoning: 'none', tokens: 'max_completion_tokens' });
  });

  it('OAC-21: a value that makes no sense leaves the default in force', () => {
    expect(quirksOf({ quirks: { toolIds: 'short', efforts: [1] } }, { traits: {} })).toEqual(DEFAULT_QUIRKS);
  });

  it.each([[{ resoning: 'reasoning' }], [{ reasoning: 'thoughts' }], [{ efforts: 'high' }], [[]], ['reasoning']])(
    'OAC-21: %j in a configuration is an error that names what is known',
    (value) => {
      expect(() => parseQuirks(value)).toThrow(InvalidQuirkError);
    },
  );

  it.each(['with_tools', 'always'])('OAC-21: %s without a blank is an error: it could not be obeyed', (demands) => {
    expect(() => parseQuirks({ reasoning: 'reasoning_content', demands })).toThrow(MissingBlankError);
    expect(parseQuirks({ demands, blankReasoning: '' })).toEqual({ demands, blankReasoning: '' });
    expect(parseQuirks({ demands: 'tool_calls' })).toEqual({ demands: 'tool_calls' });
  });

  it.each(
    BUILT_IN_DEPLOYMENTS.filter((deployment) => deployment.protocol === 'openai-chat').map((entry) => [
      entry.id,
      entry,
    ]),
  )('OAC-21: every quirk and trait of %s is one that this protocol reads', (_, deployment) => {
    expect(parseQuirks({ ...deployment.quirks })).toEqual(deployment.quirks);
    for (const model of deployment.models)
      expect(parseQuirks({ ...model.traits }, deployment.quirks)).toEqual(model.traits);
    expect(deployment.models.map((model) => model.id)).toContain(deployment.defaultModel);
  });
});
