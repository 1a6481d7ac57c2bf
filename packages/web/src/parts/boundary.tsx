import type { ReactNode } from 'react';
import { Component } from 'react';

interface BoundaryProps {
  /** What is shown instead. */
  readonly fallback: ReactNode;
  /** Once this is another one, it is tried again. */
  readonly subject?: unknown;
  readonly children: ReactNode;
}

/** Whatever throws in here takes only this part of the page away, and leaves something to read in its place. */
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
