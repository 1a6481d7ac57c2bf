import type { ReactNode } from 'react';
import { Component } from 'react';

interface BoundaryProps {
  /** What is shown instead. */
  readonly fallback: ReactNode;
  /** When this changes, rendering is tried again. */
  readonly subject?: unknown;
  readonly children: ReactNode;
}

/** Anything that throws in here removes only this part of the page, and leaves something to read in its place. */
export class Boundary extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override componentDidUpdate({ subject }: BoundaryProps): void {
    if (this.state.failed && subject !== this.props.subject) this.setState({ failed: false });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
