import type { ComponentType } from 'react';
import { Link, Route, Switch } from 'wouter';
import { Empty } from '../ui/parts';
import { AuditPage } from './audit-page';
import { CallbacksPage } from './callbacks-page';
import { CodePage } from './code-page';
import { DeadLettersPage } from './dead-letters-page';
import { HealthPage } from './health-page';
import { HistoryPage } from './history-page';
import { KeysPage } from './keys-page';
import { McpPage } from './mcp-page';
import { MembersPage } from '../projects/members-page';
import { PendingPage } from '../pending/pending-page';
import { SchedulesPage } from './schedules-page';
import { SessionsPage } from './sessions-page';
import { SettingsPage } from './settings-page';
import { UsagePage } from '../usage/usage-page';
import { UsersPage } from './users-page';
import { VariablesPage } from './variables-page';
import { WorkersPage } from './workers-page';

const PAGES: Readonly<Record<string, ComponentType>> = {
  '/pending': PendingPage,
  '/dead-letters': DeadLettersPage,
  '/callbacks': CallbacksPage,
  '/schedules': SchedulesPage,
  '/mcp': McpPage,
  '/history': HistoryPage,
  '/usage': UsagePage,
  '/system/workers': WorkersPage,
  '/system/health': HealthPage,
  '/system/settings': SettingsPage,
  '/access/keys': KeysPage,
  '/access/variables': VariablesPage,
  '/access/members': MembersPage,
  '/access/sessions': SessionsPage,
  '/access/users': UsersPage,
  '/access/code': CodePage,
  '/access/audit': AuditPage,
};

/** The pages for operators, whose code is loaded together. */
export default function Operations() {
  return (
    <Switch>
      {Object.entries(PAGES).map(([path, Page]) => (
        <Route key={path} path={path}>
          <Page />
        </Route>
      ))}
      <Route>
        <div className="page">
          <Empty title="There is no such page">
            Its address may have changed, or it may belong to a newer release.
          </Empty>
          <p className="row center">
            <Link href="/runs">Go to the runs</Link>
          </p>
        </div>
      </Route>
    </Switch>
  );
}
