import type { Deployment } from '../deployment.ts';
import { withFacts } from '../protocols/with-facts.ts';
import type { Fact, FactSource, ModelDescription, ModelFacts } from './facts.ts';
import { FACTS } from './facts.ts';
import type { ModelInfo } from './model.ts';

/**
 * What is known about a model, and from where: the one place that decides which source wins. A deployment answers from
 * its configuration, its catalogue and the families of names; the vendor's list fills in what those cannot know.
 */
export function describeModel(
  deployment: Pick<Deployment, 'protocol' | 'quirks' | 'modelInfo' | 'stated'>,
  model: string,
  listed: ModelFacts | undefined,
): ModelDescription {
  const base = deployment.modelInfo(model);
  const stated = deployment.stated?.get(model);
  const said = isCatalogued(base) ? undefined : listed;
  const sources = sourcesOf(base, said, stated);
  if (said === undefined) return { info: base, sources };
  const informed = withFacts(deployment, base, said);
  return { info: stated === undefined ? informed : withFacts(deployment, informed, stated), sources };
}

/** Whether Bough itself lists the model. One that only the configuration knows may still be in the vendor's list. */
export function isCatalogued({ known, configured }: ModelInfo): boolean {
  return known && configured !== 'alone';
}

function sourcesOf(
  base: ModelInfo,
  listed: ModelFacts | undefined,
  stated: ModelFacts | undefined,
): ModelDescription['sources'] {
  const otherwise = isCatalogued(base) ? 'catalogue' : base.family === undefined ? 'assumed' : 'family';
  const sourceOf = (fact: Fact): FactSource => {
    if (stated?.[fact] !== undefined) return 'configuration';
    return listed?.[fact] === undefined ? otherwise : 'list';
  };
  const entries = FACTS.map((fact): readonly [Fact, FactSource] => [fact, sourceOf(fact)]);
  return Object.fromEntries(entries) as Readonly<Record<Fact, FactSource>>;
}
