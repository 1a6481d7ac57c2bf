/** A thumb, up or down. Not among the icons of the first load. */
export function MarkIcon({ mark }: { readonly mark: 'good' | 'bad' }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="17"
      height="17"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinejoin="round"
      aria-hidden="true"
      transform={mark === 'bad' ? 'rotate(180)' : undefined}
    >
      <path d="M4 11h3v9H4zM7 11l4-7c1.7 0 2.6 1.2 2.3 2.7L12.8 10H18c1.3 0 2.2 1.2 1.9 2.4l-1.5 6c-.2.9-1 1.6-2 1.6H7" />
    </svg>
  );
}
