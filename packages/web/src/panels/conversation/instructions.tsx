import type { NodeView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { Prose } from '../../parts/prose.tsx';

/** A system message: instructions that count from where it stands. */
export function Instructions({ node, isFirst }: { readonly node: NodeView; readonly isFirst: boolean }) {
  const t = useT();
  return (
    <section className="instructions" data-node={node.id}>
      <h3>{isFirst ? t('role.system') : t('instructions.node')}</h3>
      <Prose text={node.content} />
    </section>
  );
}
