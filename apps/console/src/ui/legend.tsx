import type { Series } from './chart';

/** The titles of series beside their colors. */
export function Legend({ of }: { readonly of: readonly Pick<Series, 'title' | 'color'>[] }) {
  return (
    <span className="legend">
      {of.map(({ title, color }, index) => (
        <span key={index}>
          <i style={{ background: `var(${color})` }} />
          <bdi>{title}</bdi>
        </span>
      ))}
    </span>
  );
}
