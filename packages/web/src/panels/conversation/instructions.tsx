import type { NodeView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { Prose } from '../../parts/prose.tsx';
import { toolChangeIn } from '../../view/instructions.ts';

/** A system message: instructions, and changes of tools, that count from where it stands. */
export function Instructions({ node, isFirst }: { readonly node: NodeView; readonly isFirst: boolean }) {
  const t = useT();
  const change = toolChangeIn(node);
  return (
    <section className="instructions" data-node={node.id}>
      {node.content === '' ? null : (
        <>
          <h3>{isFirst ? t('role.system') : t('instructions.node')}</h3>
          <Prose text={node.content} />
        </>
      )}
      {change === null ? null : (
        <>
          <h3>{t('instructions.tools')}</h3>
          <p>
            {[...change.added.map((name) => `+ ${name}`), ...change.removed.map((name) => `− ${name}`)].join('   ')}
          </p>
        </>
      )}
    </section>
  );
}
