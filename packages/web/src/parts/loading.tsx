import { useT } from '../i18n/index.ts';

interface LoadingProps {
  /** How often it was tried in vain: a server that is away is told, not waited for in silence. */
  readonly failures: number;
}

/** Stands where something will be. Without it, a slow server and an empty page look the same. */
export function Loading({ failures }: LoadingProps) {
  const t = useT();
  return (
    <p className="loading" role="status">
      {failures === 0 ? t('app.loading') : t('connection.lost')}
    </p>
  );
}
