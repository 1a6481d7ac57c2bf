import type { QuestionView } from '@bough/api';
import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import type { AskedQuestion } from '@bough/engine';
import { listQuestions } from '@bough/engine';
import { noticeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

export function questionHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.askAbout, async (context) => {
    const { llmProvider, llmModel, nodeId: node, ...request } = context.req.valid('json');
    const { asked, notices = [] } = await engine.askAbout(projectId(context.req.valid('param').id), {
      ...request,
      nodeId: nodeId(node),
      provider: llmProvider,
      model: llmModel,
    });
    return context.json({ question: view(asked), notices: notices.map(noticeView) }, 202);
  });
  app.openapi(routes.listQuestions, async (context) => {
    const { nodes } = context.req.valid('query');
    const about = nodes?.split(',').map((id) => nodeId(id.trim()));
    const questions = await listQuestions(store, projectId(context.req.valid('param').id), about);
    return context.json({ questions: questions.map(view) }, 200);
  });
  app.openapi(routes.deleteQuestion, async (context) => {
    const { id, name } = context.req.valid('param');
    return context.json({ trashId: await engine.deleteQuestion(projectId(id), name) }, 200);
  });
}

function view({ branch, ...asked }: AskedQuestion): QuestionView {
  const { id, name, hidden, envelope } = branch;
  return { ...asked, branchId: id, branch: name, hidden, provider: envelope.provider, model: envelope.model };
}
