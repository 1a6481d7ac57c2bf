import { Tooltip } from 'radix-ui';
import type { ReactElement } from 'react';

/** A sentence that explains the element it is attached to. Opens on hover and keyboard focus. */
export function Explain({ text, children }: { readonly text: string; readonly children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={6}>
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly children: ReactElement;
  readonly onClick?: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly className?: string;
}

/** A button with only an icon: its name is its label and its tooltip. */
export function IconButton({ label, children, onClick, disabled, pressed, className = '' }: IconButtonProps) {
  return (
    <Explain text={label}>
      <button
        type="button"
        className={`icon-button ${className}`}
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </button>
    </Explain>
  );
}
