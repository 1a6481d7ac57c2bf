import type { McpServerView } from '@bough/api';
import { routes } from '@bough/api';
import { projectId } from '@bough/core';
import { OWN_CLIENT } from '@bough/store';
import type { ToolServer } from '../page-settings/tool-servers.ts';
import type { App, Parts } from './parts.ts';

/** What people change in the settings page, besides keys and defaults. */
export function settingsHandlers(app: App, parts: Parts): void {
  const { store, providers, deployments, toolServers, approval, budgets, budgetSettings, tools } = parts;
  const viewOf = (server: ToolServer): McpServerView => ({ ...server, tools: approval.toolsOf(server.name, tools) });

  app.openapi(routes.testProvider, async (context) => {
    const provider = providers.get(context.req.valid('param').providerId);
    const started = performance.now();
    const { outcome, models, message } = await provider.check();
    return context.json({ outcome, models, message, milliseconds: Math.round(performance.now() - started) }, 200);
  });
  app.openapi(routes.listDeployments, (context) => context.json(deployments.list(), 200));
  app.openapi(routes.setDeployment, (context) => {
    const { deploymentId } = context.req.valid('param');
    return context.json({ deployment: deployments.set(deploymentId, context.req.valid('json')) }, 200);
  });
  app.openapi(routes.deleteDeployment, (context) => {
    deployments.remove(context.req.valid('param').deploymentId);
    return context.body(null, 204);
  });
  app.openapi(routes.listMcpServers, (context) => {
    const { file, pageFile, locked } = deployments.list();
    const servers = toolServers.list().map(viewOf);
    const builtIn = approval.toolsOf('built-in', tools);
    return context.json({ file, pageFile, locked, servers, builtIn, rules: approval.rules() }, 200);
  });
  app.openapi(routes.setMcpServer, (context) => {
    const { serverName } = context.req.valid('param');
    toolServers.set(serverName, context.req.valid('json'));
    return context.json({ server: viewOf(toolServers.get(serverName)) }, 200);
  });
  app.openapi(routes.deleteMcpServer, (context) => {
    toolServers.remove(context.req.valid('param').serverName);
    return context.body(null, 204);
  });
  app.openapi(routes.reconnectMcpServer, async (context) => {
    const { serverName } = context.req.valid('param');
    await toolServers.reconnect(serverName);
    return context.json({ server: viewOf(toolServers.get(serverName)) }, 200);
  });
  app.openapi(routes.listBudgets, async (context) => {
    const { project } = context.req.valid('query');
    const here = project === undefined ? null : await store.getProject(projectId(project));
    const states =
      here === null ? await budgets.list() : await budgets.listFor({ project: here.id, client: OWN_CLIENT });
    const projects = states.every((state) => state.project === null) ? [] : await store.listProjects();
    const names = new Map<string, string>(projects.map(({ id, name }) => [id, name]));
    const list = budgetSettings.views(states, (id) => names.get(id));
    if (here === null) return context.json(list, 200);
    return context.json({ ...list, budgets: list.budgets.filter(({ uses }) => uses.length > 0) }, 200);
  });
  app.openapi(routes.setBudget, (context) => {
    budgetSettings.set(context.req.valid('param').budgetName, context.req.valid('json'));
    return context.body(null, 204);
  });
  app.openapi(routes.deleteBudget, (context) => {
    budgetSettings.remove(context.req.valid('param').budgetName);
    return context.body(null, 204);
  });
  app.openapi(routes.setApproval, (context) => {
    const { pattern, policy } = context.req.valid('json');
    approval.set(pattern, policy);
    return context.body(null, 204);
  });
}
