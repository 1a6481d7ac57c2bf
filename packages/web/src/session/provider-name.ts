import { useQuery } from '@tanstack/react-query';
import { providersQuery } from './queries.ts';

/** A provider's name for people; its id while it is not known, or no longer. */
export function useProviderName(): (id: string) => string {
  const { data } = useQuery(providersQuery);
  return (id) => data?.providers.find((provider) => provider.id === id)?.label ?? id;
}
