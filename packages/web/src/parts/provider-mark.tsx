import { useQuery } from '@tanstack/react-query';
import { providersQuery } from '../session/queries.ts';
import { modelLabel, providerLetter } from '../view/model-label.ts';
import './provider-mark.css';

interface ProviderMarkProps {
  readonly provider: string;
  readonly model: string;
}

const NONE: readonly [] = [];

/** Which model, in the room of a few letters: the provider's initial and the model's short name. */
export function ProviderMark({ provider, model }: ProviderMarkProps) {
  const providers = useQuery(providersQuery).data?.providers ?? NONE;
  const label = providers.find(({ id }) => id === provider)?.label ?? provider;
  return (
    <span className="provider-mark" title={`${label} · ${model}`}>
      <span className="provider-letter" data-letter={providerLetter(providers, provider)} />
      <span className="provider-model">{modelLabel(providers, provider, model)}</span>
    </span>
  );
}
