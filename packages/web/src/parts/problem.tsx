import { withoutIds } from '../view/error-text.ts';

/** What went wrong, in the words of whatever reported it. */
export function Problem({ message }: { readonly message: string }) {
  return (
    <p className="notice danger" role="alert">
      {withoutIds(message)}
    </p>
  );
}
