import type { ReactNode } from 'react';

/**
 * Line icons on a 24-unit grid. Decorative: the button that contains one has the name. This size applies where no style
 * sets one: an svg without a size fills its container.
 */
const icon = (paths: ReactNode) =>
  function Icon() {
    return (
      <svg
        viewBox="0 0 24 24"
        width="17"
        height="17"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {paths}
      </svg>
    );
  };

export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const SlidersIcon = icon(
  <>
    <path d="M4 7h9M19 7h1M4 17h1M11 17h9" />
    <circle cx="16" cy="7" r="2.4" />
    <circle cx="8" cy="17" r="2.4" />
  </>,
);
export const BranchIcon = icon(
  <>
    <circle cx="6" cy="5" r="2.2" />
    <circle cx="6" cy="19" r="2.2" />
    <circle cx="18" cy="9" r="2.2" />
    <path d="M6 7.2v9.6M18 11.2c0 4-6 3-11 6" />
  </>,
);
/** The branch comes back: the other way round than where it began. */
export const MergeIcon = icon(
  <>
    <circle cx="6" cy="5" r="2.2" />
    <circle cx="6" cy="19" r="2.2" />
    <circle cx="18" cy="9" r="2.2" />
    <path d="M6 7.2v9.6M18 11.2c0 4-4 6.8-9 7.5M12 15.5 8.6 18.8l3.6 2.4" />
  </>,
);
export const MoreIcon = icon(
  <>
    <circle cx="5" cy="12" r="1.2" />
    <circle cx="12" cy="12" r="1.2" />
    <circle cx="19" cy="12" r="1.2" />
  </>,
);
export const PinIcon = icon(<path d="M9 4h6l-1 6 3 3v2H7v-2l3-3-1-6ZM12 15v6" />);
export const StarIcon = icon(<path d="m12 4 2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.7 9.6 9 12 4Z" />);
export const LeaveOutIcon = icon(<path d="M4 12h4M16 12h4M8 8l8 8M16 8l-8 8" />);
export const CompactIcon = icon(<path d="M4 6h16M4 18h16M12 2v7M9 7l3 3 3-3M12 22v-7M9 17l3-3 3 3" />);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15V5a1 1 0 0 1 1-1h9" />
  </>,
);
export const QuoteIcon = icon(<path d="M9 7H5v6h4v4M19 7h-4v6h4v4" />);
export const EditIcon = icon(<path d="M4 20h4L19 9l-4-4L4 16v4ZM14 6l4 4" />);
export const RetryIcon = icon(<path d="M20 11a8 8 0 1 0-2.3 6M20 5v6h-6" />);
export const TrashIcon = icon(<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />);
export const StopIcon = icon(<rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor" />);
export const SendIcon = icon(<path d="M12 19V5M6 11l6-6 6 6" />);
/** One question, several answers. */
export const AskManyIcon = icon(<path d="M4 12h6M10 12c5 0 3-6 9-6M10 12h10M10 12c5 0 3 6 9 6" />);
/** Questions below each other, one beside the other ticked off. */
export const QuestionSetIcon = icon(<path d="m3 6 1.5 1.5L7 5M3 17l1.5 1.5L7 16M11 6.5h10M11 12h10M11 17.5h10" />);
export const ChevronRightIcon = icon(<path d="m9 6 6 6-6 6" />);
export const ChevronDownIcon = icon(<path d="m6 9 6 6 6-6" />);
export const ChevronLeftIcon = icon(<path d="m15 6-6 6 6 6" />);
export const PanelRightIcon = icon(
  <>
    <rect x="3" y="4" width="18" height="16" rx="2" />
    <path d="M15 4v16" />
  </>,
);
export const PanelLeftIcon = icon(
  <>
    <rect x="3" y="4" width="18" height="16" rx="2" />
    <path d="M9 4v16" />
  </>,
);
export const SettingsIcon = icon(
  <>
    <circle cx="12" cy="12" r="3" />
    <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1" />
  </>,
);
export const ChartIcon = icon(<path d="M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6" />);
export const GatewayIcon = icon(<path d="M3 8h13l-4-4M21 16H8l4 4" />);
export const ToolIcon = icon(<path d="M14 6a4 4 0 0 0 4.8 4.8L21 13l-8 8-3-3 5-5M10 10 4 4" />);
export const GlobeIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M3.5 12h17M12 3.5c5 5.5 5 11.5 0 17M12 3.5c-5 5.5-5 11.5 0 17" />
  </>,
);
export const CodeIcon = icon(<path d="m8 7-5 5 5 5M16 7l5 5-5 5" />);
export const DrawnIcon = icon(
  <>
    <rect x="4" y="5" width="16" height="14" rx="2" />
    <path d="m5 17 5-5 3 3 2-2 4 4" />
    <circle cx="15.5" cy="9.5" r="1.3" />
  </>,
);
export const ThoughtIcon = icon(
  <path d="M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.3 1 2.1h5c0-.8.4-1.6 1-2.1A6 6 0 0 0 12 3Z" />,
);
export const RawIcon = icon(<path d="M8 7 3 12l5 5M16 7l5 5-5 5" />);
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const CompareIcon = icon(
  <>
    <rect x="3" y="5" width="7" height="14" rx="1.5" />
    <rect x="14" y="5" width="7" height="14" rx="1.5" />
  </>,
);
export const ArchiveIcon = icon(
  <>
    <rect x="3" y="4" width="18" height="5" rx="1" />
    <path d="M5 9v10h14V9M10 13h4" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
    <circle cx="12" cy="12" r="2.6" />
  </>,
);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const MinusIcon = icon(<path d="M5 12h14" />);
export const FitIcon = icon(<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />);
export const FoldIcon = icon(<path d="M12 3v6M9 6l3 3 3-3M12 21v-6M9 18l3-3 3 3M5 12h14" />);
export const SwapIcon = icon(<path d="M7 7h13M16 3l4 4-4 4M17 17H4M8 13l-4 4 4 4" />);
export const UploadIcon = icon(<path d="M12 16V4M7 9l5-5 5 5M4 16v4h16v-4" />);
export const DownloadIcon = icon(<path d="M12 4v12M7 11l5 5 5-5M4 16v4h16v-4" />);
export const LinkIcon = icon(
  <path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1" />,
);
export const ClipIcon = icon(
  <path d="m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14 7.6" />,
);
export const CameraIcon = icon(
  <>
    <path d="M4 8h3.5L9 5.5h6L16.5 8H20v11H4V8Z" />
    <circle cx="12" cy="13" r="3.4" />
  </>,
);
export const FileIcon = icon(<path d="M6 3h8l4 4v14H6V3ZM14 3v4h4M9 12h6M9 16h6" />);
export const SoundIcon = icon(<path d="M5 10v4M9 7v10M13 4v16M17 8v8M21 11v2" />);
export const ArrowDownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />);
export const FolderIcon = icon(
  <path d="M3 6.5A1.5 1.5 0 0 1 4.5 5H9l2 2.5h8.5A1.5 1.5 0 0 1 21 9v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18V6.5Z" />,
);
export const SelectIcon = icon(
  <>
    <rect x="4" y="4" width="16" height="16" rx="3" />
    <path d="m8 12.5 3 3 5.5-6.5" />
  </>,
);
export const BellIcon = icon(<path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15L6 17ZM10 21h4" />);
