import { Fragment, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './parts';

export interface Column<Row> {
  /** Empty for the column of actions. */
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** The cell does not wrap. */
  readonly isFixed?: boolean;
}

export interface DataTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly empty?: ReactNode;
  /** The table is part of a card. */
  readonly isFlush?: boolean;
  /** What a button in each row opens below it: the text of the button, the content, and which rows open by themselves. */
  readonly detail?: {
    readonly title: string;
    readonly render: (row: Row) => ReactNode;
    readonly isOpen?: (row: Row) => boolean;
  };
}

/** A table of up to some hundred rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, empty, isFlush = false, detail } = props;
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  // A row that opens by itself does so once, and stays as it was left.
  const fresh = rows.filter((row) => detail?.isOpen?.(row) === true && !opened.has(rowKey(row)));
  if (fresh.length > 0) setOpened(new Map([...opened, ...fresh.map((row) => [rowKey(row), true] as const)]));
  const isOpen = (row: Row) => opened.get(rowKey(row)) === true;
  if (rows.length === 0 && empty !== undefined)
    return isFlush ? <>{empty}</> : <section className="card">{empty}</section>;
  const toggle = (row: Row) => setOpened((before) => new Map([...before, [rowKey(row), !isOpen(row)]]));
  const columns =
    detail === undefined ? props.columns : withOpener(props.columns, { detail, isOpen, toggle });
  return (
    <div className={`table-wrap ${isFlush ? '' : 'card'}`}>
      <table className="data">
        <thead>
          <tr>
            {columns.map(({ title, isNumber = false }, index) => (
              <th key={index} className={isNumber ? 'number' : ''}>
                {title || <span className="visually-hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Fragment key={rowKey(row)}>
              <tr>
                {columns.map(({ title, cell, isNumber = false, isFixed = false }, index) => (
                  <td
                    key={index}
                    data-title={title}
                    className={`${isNumber ? 'number' : ''} ${isFixed ? 'fixed' : ''}`}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {detail !== undefined && isOpen(row) && (
                <tr>
                  <td colSpan={columns.length} className="detail">
                    {detail.render(row)}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Opener<Row> {
  readonly detail: { readonly title: string };
  readonly isOpen: (row: Row) => boolean;
  readonly toggle: (row: Row) => void;
}

/** Puts the button that opens a row before the actions of the last column, or in a column of its own. */
function withOpener<Row>(
  columns: readonly Column<Row>[],
  { detail, isOpen, toggle }: Opener<Row>,
): readonly Column<Row>[] {
  const last = columns.at(-1);
  const actions = last?.title === '' ? last : undefined;
  const cell = (row: Row) => (
    <span className="row end">
      <Button size="small" aria-expanded={isOpen(row)} onClick={() => toggle(row)}>
        {detail.title}
      </Button>
      {actions?.cell(row)}
    </span>
  );
  return [...(actions === undefined ? columns : columns.slice(0, -1)), { title: '', cell }];
}
