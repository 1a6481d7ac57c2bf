/** Characters that may not fit. */
const LONG = 250;

/** Names and values, one pair per line. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          {/* What is too long for its place scrolls, also by keyboard. */}
          <dd tabIndex={value.length > LONG ? 0 : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
