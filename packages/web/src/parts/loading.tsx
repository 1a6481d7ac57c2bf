import { useT } from '../i18n/index.ts';

interface LoadingProps {
  /** How many attempts have failed: an unreachable server is reported, not waited for in silence. */
  readonly failures: number;
}

/** Shown in place of what is still to come. Without it, a slow server and an empty page look the same. */
export function Loading({ failures }: LoadingProps) {
  const t = useT();
  return (
    <p className="loading" role="status">
      {failures === 0 ? t('app.loading') : t('connection.lost')}
    </p>
  );
}
