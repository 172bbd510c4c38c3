interface IconProps {
  /** Pixels; 24 without it. */
  readonly size?: number;
}

/** An icon of lines on a grid of 24, in the colour of the text around it. Readers of screens skip it. */
function icon(path: string) {
  return function Icon({ size = 24 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
      >
        <path d={path} />
      </svg>
    );
  };
}

const CIRCLE = 'M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18';

export const Ban = icon(`${CIRCLE}M5.6 5.6l12.8 12.8`);
export const Bookmark = icon('M7 3h10v18l-5-4-5 4z');
export const Check = icon('M4 13l5 5L20 7');
export const ChevronDown = icon('M5 9l7 7 7-7');
export const ChevronLeft = icon('M15 5l-7 7 7 7');
export const CircleAlert = icon(`${CIRCLE}M12 7v6M12 16.5v.1`);
export const Compare = icon('M4 4h7v16H4zM13 4h7v16h-7zM6.5 9h2M15.5 9h2M6.5 13h2');
export const Copy = icon('M9 9h11v11H9zM5 15H4V4h11v1');
export const Download = icon('M12 3v12M7 10l5 5 5-5M4 20h16');
export const Expand = icon('M4 9V4h5M20 15v5h-5M4 4l6 6M20 20l-6-6');
export const Info = icon(`${CIRCLE}M12 11v6M12 7.5v.1`);
export const Menu = icon('M4 6h16M4 12h16M4 18h16');
export const Play = icon('M7 4l13 8-13 8z');
export const Replay = icon('M4 4v5h5M4.6 9A8.5 8.5 0 1 1 3.5 13');
export const Search = icon('M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5L21 21');
export const Terminal = icon('M4 6l6 6-6 6M12 19h8');
export const TriangleAlert = icon('M12 3l10 17H2zM12 10v4M12 17v.1');
export const Upload = icon('M12 16V4M7 9l5-5 5 5M4 20h16');
export const X = icon('M6 6l12 12M18 6L6 18');

export const Boxes = icon('M3 3h7v7H3zM14 14h7v7h-7zM6.5 10v7.5H14');
export const Chart = icon('M3 3v18h18M7 15l4-5 4 3 5-7');
export const Chat = icon('M4 4h16v12h-9l-5 4v-4H4zM8 8.5h8M8 12h5');
export const Clock = icon(`${CIRCLE}M12 7v5l4 2`);
export const Code = icon('M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16');
export const Coins = icon(
  'M9 4c-3.3 0-6 1.3-6 3s2.7 3 6 3s6-1.3 6-3s-2.7-3-6-3M3 7v5c0 1.7 2.7 3 6 3M15 7v2M15 11c-3.3 0-6 1.3-6 3s2.7 3 6 3s6-1.3 6-3s-2.7-3-6-3M9 14v4c0 1.7 2.7 3 6 3s6-1.3 6-3v-4',
);
export const Heart = icon(
  'M12 20C5 15 3 12 3 8.5A4.7 4.7 0 0 1 12 6.5A4.7 4.7 0 0 1 21 8.5C21 12 19 15 12 20z',
);
export const HalfCircle = icon(`${CIRCLE}M12 7a5 5 0 0 1 0 10z`);
export const Key = icon('M8 10a5 5 0 1 0 0 10a5 5 0 0 0 0-10M11.6 11.4L20 3M16 7l3 3');
export const Leave = icon('M9 4H4v16h5M15 7l5 5-5 5M20 12H9');
export const Monitor = icon('M3 4h18v12H3zM8 20h8M12 16v4');
export const Moon = icon('M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z');
export const Page = icon('M5 3h14v18H5zM9 8h6M9 12h6M9 16h4');
export const Plug = icon('M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4');
export const Pulse = icon('M2 12h4l3-8 6 16 3-8h4');
export const Return = icon('M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-4');
export const Server = icon('M3 4h18v6H3zM3 14h18v6H3zM7 7v.1M7 17v.1');
export const Skull = icon('M9 21v-4H6v-2.5a8 8 0 1 1 12 0V17h-3v4zM9 11v.1M15 11v.1');
export const Sliders = icon('M4 7h9M17 7h3M13 4v6M4 17h3M11 17h9M11 14v6');
export const Sun = icon(
  'M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
);
export const Tree = icon('M4 5h16M9 12h11M9 19h11M4 5v14h2M4 12h2');
export const Question = icon(`${CIRCLE}M9.5 9.5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.8-.9 1.7M12 17v.1`);
export const Users = icon(
  'M9 4a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7M2.5 20v-1.5a6.5 6.5 0 0 1 13 0V20M16 4.3a3.5 3.5 0 0 1 0 6.4M18.5 14a6.5 6.5 0 0 1 3 4.5V20',
);
export const Variable = icon('M8 4c-3 3-4 5-4 8s1 5 4 8M16 4c3 3 4 5 4 8s-1 5-4 8M9.5 9.5l5 5M14.5 9.5l-5 5');
