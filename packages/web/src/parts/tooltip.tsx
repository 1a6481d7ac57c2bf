import { Tooltip } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { useState } from 'react';

/** The name of a button that shows only an icon. Opens on hover and keyboard focus: a tap does what the button does. */
function Hint({ text, children }: { readonly text: string; readonly children: ReactElement }) {
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
    <Hint text={label}>
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
    </Hint>
  );
}

/**
 * What a mark, a badge or a button that exists only for this has to say: on hover, keyboard focus, and by a tap, which
 * neither hovers nor, in some browsers, focuses. It stays until something else is touched.
 */
export function Explain({ text, children }: { readonly text: ReactNode; readonly children: ReactElement }) {
  const [open, setOpen] = useState(false);
  return (
    <Tooltip.Root open={open} onOpenChange={setOpen}>
      <Tooltip.Trigger
        asChild
        onPointerDown={(event) => event.preventDefault()}
        onClick={(event) => {
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </Tooltip.Trigger>
      {/* In the main part of the page, which it is about: a table beside all landmarks is hard to find. */}
      <Tooltip.Portal container={document.getElementById('conversation')}>
        <Tooltip.Content className="tooltip" sideOffset={6} align="start" collisionPadding={8}>
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
