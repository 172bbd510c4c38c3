import type { ReactNode } from 'react';

export interface Column<Row> {
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
}

/** A table of up to some hundred rows. */
export function DataTable<Row>({ rows, columns, rowKey, empty }: DataTableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <section className="card">{empty}</section>;
  return (
    <div className="card table-wrap">
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
            <tr key={rowKey(row)}>
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
          ))}
        </tbody>
      </table>
    </div>
  );
}
