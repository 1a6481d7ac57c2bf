import { useQuery } from '@tanstack/react-query';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { ChevronDownIcon, RetryIcon } from '../../parts/icons.tsx';
import { contextReportQuery } from '../../session/queries.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { MOST_REPLIES } from '../../view/most-replies.ts';

const COUNTS = [2, 3, 4] as const;

interface RegenerateMenuProps {
  /** The reply that others are made beside. */
  readonly about: { readonly projectId: string; readonly ref: string; readonly nodeId: string };
  readonly onChoose: (count: number) => void;
}

/** Several replies to the same message at once, with what they cost. */
export function RegenerateMenu({ about, onChoose }: RegenerateMenuProps) {
  const t = useT();
  const [isAsking, setIsAsking] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const { projectId, ref, nodeId } = about;
  const { data } = useQuery({
    ...contextReportQuery(projectId, { ref, regenerate: nodeId, from: nodeId, to: nodeId }),
    enabled: isOpen || isAsking,
  });
  const likely = data?.estimate.likeLast?.cost ?? data?.estimate.inputCost ?? null;
  const priceOf = (count: number): string | null =>
    likely === null || likely === 0 ? null : t('estimate.about', { cost: formatCost(likely * count, t.locale) });
  return (
    <>
      <DropdownMenu.Root modal={false} onOpenChange={setIsOpen}>
        <DropdownMenu.Trigger
          className="icon-button narrow"
          aria-label={t('versions.several')}
          title={t('versions.several')}
        >
          <ChevronDownIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" collisionPadding={8}>
            {COUNTS.map((count) => (
              <DropdownMenu.Item key={count} className="menu-item" onSelect={() => onChoose(count)}>
                <RetryIcon />
                {t('versions.times', { count: formatNumber(count, t.locale) })}
                {priceOf(count) === null ? null : <small>{priceOf(count)}</small>}
              </DropdownMenu.Item>
            ))}
            <DropdownMenu.Item className="menu-item" onSelect={() => setIsAsking(true)}>
              <RetryIcon />
              {t('versions.number')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isAsking ? <NumberDialog priceOf={priceOf} onChoose={onChoose} onClose={() => setIsAsking(false)} /> : null}
    </>
  );
}

interface NumberDialogProps {
  readonly priceOf: (count: number) => string | null;
  readonly onChoose: (count: number) => void;
  readonly onClose: () => void;
}

function NumberDialog({ priceOf, onChoose, onClose }: NumberDialogProps) {
  const t = useT();
  const [typed, setTyped] = useState('5');
  const count = Number(typed);
  const isValid = Number.isInteger(count) && count >= 1 && count <= MOST_REPLIES;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('versions.several')}
      description={t('versions.number.lead', { most: formatNumber(MOST_REPLIES, t.locale) })}
    >
      <DialogForm
        save={isValid ? t('versions.times', { count: formatNumber(count, t.locale) }) : t('reply.regenerate')}
        canSave={isValid}
        onSave={() => {
          onClose();
          onChoose(count);
        }}
        onClose={onClose}
      >
        <label className="field">
          <span>{t('versions.number.label')}</span>
          <input
            className="input"
            type="number"
            inputMode="numeric"
            min={1}
            max={MOST_REPLIES}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {isValid && priceOf(count) !== null ? <p>{priceOf(count)}</p> : null}
      </DialogForm>
    </Dialog>
  );
}
