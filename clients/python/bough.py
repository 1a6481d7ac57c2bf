"""Bough's HTTP API for Python 3.11 and newer. Generated from /api/openapi.json: do not edit it, generate it.

Nothing but Python is needed. Values are dictionaries, with the names that the API has; the types say which."""

from __future__ import annotations

import contextlib
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterator, List, Literal, NotRequired, Optional, TypedDict, Union


class BoughError(Exception):
    """What went wrong, with the server's code, its status and its whole answer; without one 0 and "unreachable"."""

    def __init__(self, status: int, code: str, message: str, problem: Dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.problem = problem


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _error(failed: urllib.error.HTTPError) -> BoughError:
    text = failed.read().decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    message = problem.get("detail") or problem.get("title") or text[:200]
    return BoughError(failed.code, str(problem.get("code", "unreadable")), message, problem)


@contextlib.contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as failed:
        raise BoughError(0, "unreachable", f"{url} cannot be reached: {failed!r}", {}) from failed


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as failed:
        raise BoughError(200, "unreadable", f"This is no answer of Bough: {text[:200]!r}", {}) from failed


def _lines(response: Any, url: str) -> Iterator[Dict[str, Any]]:
    rest = b""
    with response, _reaching(url):
        # Not line by line, as Python offers: there, a stream that was cut off looks like one that has ended.
        while part := response.read1(65536):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                # An empty one only says that the server is alive.
                if line.strip():
                    yield _parsed(line)

ProjectList = TypedDict(
    "ProjectList",
    {
        "projects": List["ListedProject"],
        "total": int,
        "folders": List[Dict[str, Any]],
    },
)
ListedProject = Dict[str, Any]
Project = TypedDict(
    "Project",
    {
        "id": str,
        "name": str,
        "description": Union[str, None],
        "systemPrompt": Union[str, None],
        "archived": bool,
        "pinned": bool,
        "folder": Union[str, None],
        "createdAt": str,
    },
)
Problem = TypedDict(
    "Problem",
    {
        "type": Literal["about:blank"],
        "title": str,
        "status": int,
        "code": str,
        "detail": str,
        "extra": NotRequired[Dict[str, Any]],
        "requestId": NotRequired[str],
    },
)
Branch = TypedDict(
    "Branch",
    {
        "id": str,
        "name": str,
        "tipId": Union[str, None],
        "forkedFromId": Union[str, None],
        "provider": str,
        "model": str,
        "systemPrompt": Union[str, None],
        "tools": List[str],
        "thinking": "ThinkingSetting",
        "replayBy": Literal["issuer", "break"],
        "keepToolsAfterBreak": bool,
        "maxTokens": Union[int, None],
        "failEarly": bool,
        "filesOtherwise": Literal["text", "omit"],
        "providerTools": List["ProviderTool"],
        "allowedTools": NotRequired[List[str]],
        "choices": NotRequired[Dict[str, Literal["leave_out", "pin"]]],
        "summaries": NotRequired[List[str]],
        "compacting": NotRequired["Compacting"],
        "pinned": bool,
        "hidden": bool,
        "color": Union[str, None],
        "recorded": NotRequired["Recorded"],
        "createdAt": str,
        "lastUsedAt": str,
        "forkedOn": Union[str, None],
        "runningTurnId": Union[str, None],
    },
)
ThinkingSetting = Union[Literal["off", "low", "medium", "high"], Dict[str, Any]]
ProviderTool = TypedDict(
    "ProviderTool",
    {
        "tool": Literal["web_search", "web_fetch", "code_execution", "file_search", "image_generation", "remote_mcp"],
        "settings": NotRequired[Dict[str, Any]],
    },
)
Compacting = TypedDict(
    "Compacting",
    {
        "mode": Literal["off", "ask", "on"],
        "share": float,
    },
)
Recorded = TypedDict(
    "Recorded",
    {
        "client": str,
        "session": Union[str, None],
        "kind": Literal["main", "aside"],
        "beside": Union[str, None],
        "because": Literal["edited", "rewound", "regenerated", "compacted", None],
    },
)
ModelNotice = TypedDict(
    "ModelNotice",
    {
        "code": Literal["model_assumed", "list_unread", "provider_tool_left_out"],
        "provider": str,
        "model": str,
        "assumed": List[Union[Dict[str, Any], Dict[str, Any], Dict[str, Any]]],
        "problem": Union[str, None],
        "message": str,
    },
)
CreateProject = TypedDict(
    "CreateProject",
    {
        "name": NotRequired[str],
        "description": NotRequired[str],
        "preset": NotRequired[Union[str, None]],
        "provider": NotRequired[str],
        "model": NotRequired[str],
        "systemPrompt": NotRequired[Union[str, None]],
        "tools": NotRequired[List[str]],
        "thinking": NotRequired["ThinkingSetting"],
        "filesOtherwise": NotRequired[Literal["text", "omit"]],
        "providerTools": NotRequired[List["ProviderTool"]],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
    },
)
ProjectDetails = Dict[str, Any]
UpdateProject = TypedDict(
    "UpdateProject",
    {
        "name": NotRequired[str],
        "description": NotRequired[Union[str, None]],
        "systemPrompt": NotRequired[Union[str, None]],
        "archived": NotRequired[bool],
        "defaults": NotRequired[Dict[str, Any]],
        "pinned": NotRequired[bool],
        "folder": NotRequired[Union[str, None]],
        "gatewayMode": NotRequired[Literal["record", "repair", None]],
    },
)
CreateBranch = TypedDict(
    "CreateBranch",
    {
        "name": NotRequired[str],
        "fromRef": NotRequired[str],
        "fromNodeId": NotRequired[str],
        "empty": NotRequired[Literal[True]],
        "preset": NotRequired[Union[str, None]],
        "instructionsFrom": NotRequired[Literal["here", "beginning"]],
        "provider": NotRequired[str],
        "model": NotRequired[str],
        "systemPrompt": NotRequired[Union[str, None]],
        "tools": NotRequired[List[str]],
        "thinking": NotRequired["ThinkingSetting"],
        "filesOtherwise": NotRequired[Literal["text", "omit"]],
        "providerTools": NotRequired[List["ProviderTool"]],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
    },
)
UpdateBranch = TypedDict(
    "UpdateBranch",
    {
        "name": NotRequired[str],
        "pinned": NotRequired[bool],
        "hidden": NotRequired[bool],
        "color": NotRequired[Union[str, None]],
        "thinking": NotRequired["ThinkingSetting"],
        "tools": NotRequired[List[str]],
        "systemPrompt": NotRequired[Union[str, None]],
        "provider": NotRequired[str],
        "model": NotRequired[str],
        "replayBy": NotRequired[Literal["issuer", "break"]],
        "keepToolsAfterBreak": NotRequired[bool],
        "maxTokens": NotRequired[Union[int, None]],
        "failEarly": NotRequired[bool],
        "filesOtherwise": NotRequired[Literal["text", "omit"]],
        "providerTools": NotRequired[List["ProviderTool"]],
        "allowedTools": NotRequired[List[str]],
        "choices": NotRequired[Dict[str, Literal["leave_out", "pin", None]]],
        "summaries": NotRequired[List[str]],
        "compacting": NotRequired["Compacting"],
        "tipId": NotRequired[str],
    },
)
Chat = TypedDict(
    "Chat",
    {
        "message": "MessageContent",
        "ref": str,
        "llmProvider": NotRequired[str],
        "llmModel": NotRequired[str],
        "thinking": NotRequired["ThinkingSetting"],
        "tools": NotRequired[List[str]],
        "toolChoice": NotRequired[Literal["auto", "none"]],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
MessageContent = Union[str, List[Dict[str, Any]]]
Edit = TypedDict(
    "Edit",
    {
        "nodeId": str,
        "content": "MessageContent",
        "branchName": NotRequired[str],
        "llmProvider": NotRequired[str],
        "llmModel": NotRequired[str],
        "thinking": NotRequired["ThinkingSetting"],
        "tools": NotRequired[List[str]],
        "systemPrompt": NotRequired[Union[str, None]],
        "ref": NotRequired[str],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
Continue = TypedDict(
    "Continue",
    {
        "ref": str,
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
StartedTurns = TypedDict(
    "StartedTurns",
    {
        "turns": List[Dict[str, Any]],
        "notices": List["ModelNotice"],
        "refused": NotRequired[Dict[str, Any]],
    },
)
Regenerate = TypedDict(
    "Regenerate",
    {
        "ref": str,
        "nodeId": NotRequired[str],
        "n": NotRequired[int],
        "llmProvider": NotRequired[str],
        "llmModel": NotRequired[str],
        "thinking": NotRequired["ThinkingSetting"],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
Interrupted = TypedDict(
    "Interrupted",
    {
        "turnId": str,
        "turnIds": List[str],
    },
)
Interrupt = TypedDict(
    "Interrupt",
    {
        "turnId": NotRequired[str],
        "ref": NotRequired[str],
        "answering": NotRequired[str],
    },
)
Approve = TypedDict(
    "Approve",
    {
        "turnId": str,
        "toolCallId": str,
        "approve": bool,
        "reason": NotRequired[str],
        "always": NotRequired[bool],
    },
)
Asked = TypedDict(
    "Asked",
    {
        "nodeId": str,
        "answers": List[Dict[str, Any]],
        "refused": List[Dict[str, Any]],
        "notices": List["ModelNotice"],
    },
)
Ask = TypedDict(
    "Ask",
    {
        "ref": NotRequired[str],
        "fromNodeId": NotRequired[str],
        "message": NotRequired["MessageContent"],
        "targets": List["AskTarget"],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
AskTarget = TypedDict(
    "AskTarget",
    {
        "provider": NotRequired[str],
        "model": NotRequired[str],
        "thinking": NotRequired["ThinkingSetting"],
        "preset": NotRequired[str],
        "n": NotRequired[int],
    },
)
AskEstimate = TypedDict(
    "AskEstimate",
    {
        "targets": List[Dict[str, Any]],
        "inputCost": Union[float, None],
        "mostCost": Union[float, None],
        "unpriced": int,
    },
)
Estimate = TypedDict(
    "Estimate",
    {
        "inputTokens": float,
        "cachedTokens": float,
        "writtenTokens": float,
        "freshTokens": float,
        "cachedCost": Union[float, None],
        "writtenCost": Union[float, None],
        "freshCost": Union[float, None],
        "inputCost": Union[float, None],
        "likeLast": Union[Dict[str, Any], None],
        "mostCost": Union[float, None],
        "priceAsOf": Union[str, None],
    },
)
Kept = TypedDict(
    "Kept",
    {
        "deleted": List[str],
        "trashIds": List[str],
    },
)
Keep = TypedDict(
    "Keep",
    {
        "nodeId": str,
        "answers": List[str],
        "keep": List[str],
    },
)
History = TypedDict(
    "History",
    {
        "branch": "Branch",
        "groups": List["MessageGroup"],
        "hasMore": bool,
        "hasNewer": bool,
        "firstNodeId": Union[str, None],
        "lastNodeId": Union[str, None],
        "breakNodeId": Union[str, None],
    },
)
MessageGroup = TypedDict(
    "MessageGroup",
    {
        "turnId": Union[str, None],
        "isThinkingMode": bool,
        "status": Literal["running", "awaiting_approval", "complete", "error", "interrupted"],
        "user": "Node",
        "reply": List["Node"],
        "segments": List[Dict[str, Any]],
        "calls": List["Call"],
    },
)
Node = TypedDict(
    "Node",
    {
        "id": str,
        "projectId": str,
        "parentId": Union[str, None],
        "turnId": Union[str, None],
        "role": Literal["system", "user", "assistant", "tool"],
        "contentBlocks": List["ContentBlock"],
        "content": str,
        "provider": Union[str, None],
        "modelUsed": Union[str, None],
        "toolCallId": Union[str, None],
        "toolMs": NotRequired[float],
        "thinking": Union[Dict[str, Any], None],
        "isError": bool,
        "interrupted": bool,
        "includeThinkingInContext": bool,
        "createdAt": str,
        "siblingIds": List[str],
    },
)
ContentBlock = TypedDict(
    "ContentBlock",
    {
        "type": str,
    },
)
Call = TypedDict(
    "Call",
    {
        "id": str,
        "nodeId": Union[str, None],
        "provider": str,
        "model": str,
        "status": Literal["running", "complete", "error", "interrupted"],
        "startedAt": str,
        "firstByteAt": Union[str, None],
        "endedAt": Union[str, None],
        "usage": "Usage",
        "cost": Union[float, None],
        "money": "CallMoney",
        "errorCode": Union[str, None],
        "endedBy": NotRequired[Literal["max_tokens", "refusal", "context_exceeded"]],
    },
)
Usage = TypedDict(
    "Usage",
    {
        "inputTokens": NotRequired[float],
        "cachedInputTokens": NotRequired[float],
        "cacheWriteTokens": NotRequired[float],
        "longCacheWriteTokens": NotRequired[float],
        "outputTokens": NotRequired[float],
        "reasoningTokens": NotRequired[float],
        "reasoningMs": NotRequired[float],
        "others": NotRequired[List[Dict[str, Any]]],
        "expectedCachedTokens": NotRequired[float],
        "expectedAgeMs": NotRequired[float],
        "cacheTold": NotRequired[Union[Dict[str, Any], Dict[str, Any], Dict[str, Any]]],
    },
)
CallMoney = TypedDict(
    "CallMoney",
    {
        "fresh": float,
        "read": float,
        "written": float,
        "answer": float,
        "reasoning": float,
        "others": float,
        "saved": float,
        "missedTokens": Union[float, None],
        "missed": Union[float, None],
        "missedBecause": Union[str, None],
    },
)
Graph = TypedDict(
    "Graph",
    {
        "skipped": int,
        "total": int,
        "lastId": Union[str, None],
        "nodes": List[Dict[str, Any]],
        "branches": List["Branch"],
    },
)
NodeIds = TypedDict(
    "NodeIds",
    {
        "ids": List[str],
    },
)
Context = Dict[str, Any]
ChoiceEffect = TypedDict(
    "ChoiceEffect",
    {
        "savedTokens": float,
        "rewrittenTokens": float,
        "rewriteCost": Union[float, None],
        "lostReasoning": List[str],
    },
)
ContextReport = TypedDict(
    "ContextReport",
    {
        "provider": str,
        "model": str,
        "report": List[Dict[str, Any]],
        "notes": List[Dict[str, Any]],
        "violations": List[Dict[str, Any]],
        "estimatedTokens": float,
        "contextWindow": float,
        "maxTokens": float,
        "breakNodeId": Union[str, None],
        "estimate": "Estimate",
        "effect": NotRequired["ChoiceEffect"],
    },
)
ContextRequest = TypedDict(
    "ContextRequest",
    {
        "ref": str,
        "message": NotRequired["MessageContent"],
        "target": NotRequired[Dict[str, Any]],
        "choices": NotRequired[Dict[str, Literal["leave_out", "pin", None]]],
        "regenerate": NotRequired[str],
    },
)
ContextReportRequest = Dict[str, Any]
Raw = TypedDict(
    "Raw",
    {
        "provider": str,
        "api": str,
        "version": float,
        "deployment": str,
        "model": str,
        "capturedAt": str,
        "complete": bool,
        "payload": NotRequired[Any],
    },
)
ThinkingInContext = TypedDict(
    "ThinkingInContext",
    {
        "node": "Node",
        "warning": Union[str, None],
    },
)
SetThinkingInContext = TypedDict(
    "SetThinkingInContext",
    {
        "includeInContext": bool,
        "ref": NotRequired[str],
    },
)
CompactionPreview = TypedDict(
    "CompactionPreview",
    {
        "upTo": str,
        "isRounded": bool,
        "coveredNodes": int,
        "coveredTurns": int,
        "pinned": List[str],
        "tokensBefore": float,
        "tokensAfter": float,
        "requestTokens": float,
        "summaryTokens": float,
        "cost": Union[float, None],
        "cachedCost": Union[float, None],
        "rewrittenTokens": float,
        "rewriteCost": Union[float, None],
        "lostReasoning": List[str],
        "unread": int,
        "instruction": str,
        "by": Literal["provider", "model"],
    },
)
CompactionRequest = TypedDict(
    "CompactionRequest",
    {
        "ref": str,
        "upTo": NotRequired[str],
        "instruction": NotRequired[str],
    },
)
Compacted = TypedDict(
    "Compacted",
    {
        "branch": "Branch",
        "summaryId": str,
        "upTo": str,
        "isRounded": bool,
        "cost": Union[float, None],
    },
)
Compact = TypedDict(
    "Compact",
    {
        "ref": str,
        "upTo": NotRequired[str],
        "instruction": NotRequired[str],
        "name": NotRequired[str],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
Summary = TypedDict(
    "Summary",
    {
        "summary": Union[Dict[str, Any], None],
    },
)
MergePreview = TypedDict(
    "MergePreview",
    {
        "source": Dict[str, Any],
        "target": Dict[str, Any],
        "after": Union[str, None],
        "upTo": str,
        "since": Literal["start", "fork", "merge"],
        "messages": List[Dict[str, Any]],
        "answer": Union[Dict[str, Any], None],
        "summary": Dict[str, Any],
    },
)
MergeRequest = TypedDict(
    "MergeRequest",
    {
        "from": str,
        "into": str,
    },
)
Merged = TypedDict(
    "Merged",
    {
        "node": "Node",
        "branch": "Branch",
        "cost": Union[float, None],
    },
)
Merge = TypedDict(
    "Merge",
    {
        "from": str,
        "into": str,
        "by": Literal["answer", "summary", "messages"],
        "nodeIds": NotRequired[List[str]],
        "instruction": NotRequired[str],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
MergeView = TypedDict(
    "MergeView",
    {
        "branchId": str,
        "branchName": str,
        "sourceName": Union[str, None],
        "by": Literal["answer", "summary", "messages"],
        "after": Union[str, None],
        "upTo": str,
        "nodeIds": List[str],
        "text": str,
        "messages": Union[List["Node"], None],
        "comparedWith": Union[str, None],
        "diff": Dict[str, Any],
    },
)
Search = TypedDict(
    "Search",
    {
        "hits": List[Dict[str, Any]],
        "cursor": Union[str, None],
        "indexing": bool,
    },
)
Appended = TypedDict(
    "Appended",
    {
        "nodes": List["Node"],
        "nodeIds": List[Union[str, None]],
        "created": List[str],
        "tipId": Union[str, None],
    },
)
AppendMessages = TypedDict(
    "AppendMessages",
    {
        "content": NotRequired["MessageContent"],
        "messages": NotRequired[List[Dict[str, Any]]],
        "ref": NotRequired[str],
    },
)
EditContent = TypedDict(
    "EditContent",
    {
        "content": "MessageContent",
    },
)
NodeList = TypedDict(
    "NodeList",
    {
        "nodes": List["Node"],
    },
)
Deletion = TypedDict(
    "Deletion",
    {
        "messages": float,
        "branches": List[Dict[str, Any]],
        "handedUp": float,
        "onNoOtherBranch": float,
    },
)
TrashEntry = TypedDict(
    "TrashEntry",
    {
        "id": str,
        "kind": Literal["node", "turn", "branch", "project"],
        "projectId": str,
        "projectName": str,
        "title": str,
        "deletedAt": str,
        "purgedAt": str,
        "messages": float,
        "branches": List[Dict[str, Any]],
    },
)
ListedAnnotation = Dict[str, Any]
Annotation = TypedDict(
    "Annotation",
    {
        "projectId": str,
        "nodeId": str,
        "kind": Literal["star", "bookmark", "note", "verdict", "question"],
        "name": str,
        "text": str,
        "changedAt": str,
        "verdict": NotRequired[Literal["better", "worse", "tied", "good", "bad"]],
        "blind": NotRequired[Literal[True]],
    },
)
AnnotateNode = TypedDict(
    "AnnotateNode",
    {
        "star": NotRequired[bool],
        "note": NotRequired[Union[str, None]],
        "addBookmark": NotRequired[str],
        "removeBookmark": NotRequired[str],
        "mark": NotRequired[Literal["good", "bad", None]],
        "reason": NotRequired[str],
        "blind": NotRequired[bool],
    },
)
Judge = TypedDict(
    "Judge",
    {
        "nodes": List[str],
        "best": List[str],
        "reason": NotRequired[str],
        "blind": NotRequired[bool],
    },
)
ModelResult = TypedDict(
    "ModelResult",
    {
        "provider": str,
        "model": str,
        "wins": float,
        "losses": float,
        "ties": float,
        "good": float,
        "bad": float,
        "replies": float,
        "cost": Union[float, None],
        "averageMs": Union[float, None],
    },
)
Canvas = TypedDict(
    "Canvas",
    {
        "version": Union[str, None],
        "text": str,
        "by": Literal["person", "model"],
        "inContext": bool,
        "createdAt": str,
        "mergedFrom": NotRequired[str],
    },
)
CanvasVersion = TypedDict(
    "CanvasVersion",
    {
        "version": str,
        "by": Literal["person", "model"],
        "inContext": bool,
        "createdAt": str,
        "mergedFrom": NotRequired[str],
        "characters": float,
        "added": float,
        "removed": float,
    },
)
WriteCanvas = TypedDict(
    "WriteCanvas",
    {
        "ref": str,
        "text": str,
        "inContext": NotRequired[bool],
        "expected": Union[str, None],
    },
)
MergedCanvas = TypedDict(
    "MergedCanvas",
    {
        "parts": List[Union[Dict[str, Any], Dict[str, Any]]],
        "conflicts": float,
        "text": Union[str, None],
        "saved": "Canvas",
    },
)
MergeCanvas = TypedDict(
    "MergeCanvas",
    {
        "ref": str,
        "from": str,
        "choices": NotRequired[List[Literal["ours", "theirs", "both"]]],
        "expected": NotRequired[Union[str, None]],
        "preview": NotRequired[bool],
    },
)
AskAbout = TypedDict(
    "AskAbout",
    {
        "nodeId": str,
        "quote": str,
        "question": str,
        "before": NotRequired[str],
        "after": NotRequired[str],
        "offset": NotRequired[int],
        "ref": NotRequired[str],
        "llmProvider": NotRequired[str],
        "llmModel": NotRequired[str],
        "thinking": NotRequired["ThinkingSetting"],
        "clientRequestId": NotRequired[str],
        "overBudget": NotRequired[bool],
    },
)
Question = TypedDict(
    "Question",
    {
        "nodeId": str,
        "quote": str,
        "before": str,
        "after": str,
        "offset": Union[float, None],
        "question": str,
        "branchId": str,
        "branch": str,
        "hidden": bool,
        "provider": str,
        "model": str,
        "messageId": str,
        "askedAt": str,
        "status": Literal["running", "awaiting_approval", "complete", "error", "interrupted"],
        "turnId": Union[str, None],
        "answer": str,
        "answerId": Union[str, None],
    },
)
Preset = TypedDict(
    "Preset",
    {
        "id": str,
        "name": str,
        "provider": str,
        "model": str,
        "systemPrompt": Union[str, None],
        "tools": List[str],
        "thinking": "ThinkingSetting",
        "maxTokens": Union[int, None],
        "failEarly": bool,
        "providerTools": NotRequired[List["ProviderTool"]],
        "isDefault": bool,
        "problem": Union[Dict[str, Any], None],
    },
)
CreatePreset = TypedDict(
    "CreatePreset",
    {
        "provider": str,
        "model": str,
        "systemPrompt": NotRequired[Union[str, None]],
        "tools": NotRequired[List[str]],
        "thinking": NotRequired["ThinkingSetting"],
        "filesOtherwise": NotRequired[Literal["text", "omit"]],
        "providerTools": NotRequired[List["ProviderTool"]],
        "maxTokens": NotRequired[int],
        "failEarly": NotRequired[bool],
        "name": str,
        "isDefault": NotRequired[bool],
    },
)
UpdatePreset = TypedDict(
    "UpdatePreset",
    {
        "provider": NotRequired[str],
        "model": NotRequired[str],
        "systemPrompt": NotRequired[Union[str, None]],
        "tools": NotRequired[List[str]],
        "thinking": NotRequired["ThinkingSetting"],
        "filesOtherwise": NotRequired[Literal["text", "omit"]],
        "providerTools": NotRequired[List["ProviderTool"]],
        "maxTokens": NotRequired[Union[int, None]],
        "failEarly": NotRequired[bool],
        "name": NotRequired[str],
        "isDefault": NotRequired[bool],
    },
)
Prompt = TypedDict(
    "Prompt",
    {
        "id": str,
        "title": str,
        "text": str,
        "tags": List[str],
    },
)
CreatePrompt = TypedDict(
    "CreatePrompt",
    {
        "title": str,
        "text": str,
        "tags": NotRequired[List[str]],
    },
)
UpdatePrompt = TypedDict(
    "UpdatePrompt",
    {
        "title": NotRequired[str],
        "text": NotRequired[str],
        "tags": NotRequired[List[str]],
    },
)
ImportPrompts = TypedDict(
    "ImportPrompts",
    {
        "prompts": List["CreatePrompt"],
    },
)
TitleModel = TypedDict(
    "TitleModel",
    {
        "model": Union[Dict[str, Any], None],
    },
)
QuestionSet = TypedDict(
    "QuestionSet",
    {
        "id": str,
        "name": str,
        "systemPrompt": Union[str, None],
        "count": int,
        "createdAt": str,
        "rounds": List["Round"],
    },
)
Round = TypedDict(
    "Round",
    {
        "id": str,
        "setId": str,
        "projectId": str,
        "targets": List[Dict[str, Any]],
        "samples": int,
        "limit": float,
        "maxTokens": Union[int, None],
        "atOnce": int,
        "state": Literal["running", "paused", "cancelled", "finished"],
        "because": Union[Dict[str, Any], None],
        "answers": int,
        "complete": int,
        "failed": int,
        "running": int,
        "spent": float,
        "createdAt": str,
        "endedAt": Union[str, None],
    },
)
WholeQuestionSet = Dict[str, Any]
CreateQuestionSet = TypedDict(
    "CreateQuestionSet",
    {
        "name": str,
        "systemPrompt": NotRequired[Union[str, None]],
        "from": Union[Dict[str, Any], Dict[str, Any], Dict[str, Any]],
    },
)
UpdateQuestionSet = TypedDict(
    "UpdateQuestionSet",
    {
        "name": NotRequired[str],
        "systemPrompt": NotRequired[Union[str, None]],
        "from": NotRequired[Union[Dict[str, Any], Dict[str, Any], Dict[str, Any]]],
    },
)
RoundEstimate = TypedDict(
    "RoundEstimate",
    {
        "targets": List[Dict[str, Any]],
    },
)
EstimateRound = TypedDict(
    "EstimateRound",
    {
        "targets": List[Dict[str, Any]],
        "samples": NotRequired[int],
        "maxTokens": NotRequired[int],
    },
)
StartRound = TypedDict(
    "StartRound",
    {
        "targets": List[Dict[str, Any]],
        "samples": NotRequired[int],
        "maxTokens": NotRequired[int],
        "limit": float,
        "atOnce": NotRequired[int],
        "unpriced": NotRequired[bool],
        "clientRequestId": NotRequired[str],
    },
)
RoundTable = TypedDict(
    "RoundTable",
    {
        "round": "Round",
        "set": Dict[str, Any],
        "sums": List[Dict[str, Any]],
        "rows": List[Dict[str, Any]],
    },
)
UpdateRound = TypedDict(
    "UpdateRound",
    {
        "state": NotRequired[Literal["running", "paused", "cancelled"]],
        "limit": NotRequired[float],
        "again": NotRequired[Literal[True]],
    },
)
DatasetCount = TypedDict(
    "DatasetCount",
    {
        "records": float,
        "leftOut": Dict[str, Any],
    },
)
ImportLimits = TypedDict(
    "ImportLimits",
    {
        "maxBytes": float,
    },
)
Upload = TypedDict(
    "Upload",
    {
        "block": "ContentBlock",
        "notes": List[Dict[str, Any]],
    },
)
Gateway = TypedDict(
    "Gateway",
    {
        "mode": Literal["record", "repair"],
        "running": float,
        "unrecorded": float,
        "clients": List[Dict[str, Any]],
        "routes": List[Dict[str, Any]],
    },
)
GatewaySession = TypedDict(
    "GatewaySession",
    {
        "projectId": str,
        "name": str,
        "lastUsedAt": str,
        "running": bool,
        "mode": Literal["record", "repair"],
        "branches": float,
        "clients": List[str],
        "models": List[Dict[str, Any]],
        "requests": float,
        "repaired": float,
        "routed": float,
        "inputTokens": float,
        "cachedInputTokens": float,
        "cacheWriteTokens": float,
        "outputTokens": float,
        "cost": Union[float, None],
        "repairs": List[Dict[str, Any]],
        "newestTurnId": Union[str, None],
    },
)
RecordedCall = TypedDict(
    "RecordedCall",
    {
        "id": str,
        "turnId": str,
        "nodeId": Union[str, None],
        "provider": str,
        "model": str,
        "status": Literal["running", "complete", "error", "interrupted"],
        "startedAt": str,
        "endedAt": Union[str, None],
        "usage": "Usage",
        "cost": Union[float, None],
        "errorCode": Union[str, None],
        "client": str,
        "session": Union[str, None],
        "mode": Literal["record", "repair", "route"],
        "protocol": str,
        "path": str,
        "changed": bool,
        "repairs": List[Dict[str, Any]],
    },
)
Exchange = TypedDict(
    "Exchange",
    {
        "call": "RecordedCall",
        "askedModel": Union[str, None],
        "came": Union[Dict[str, Any], None],
        "sent": Union[Dict[str, Any], None],
        "difference": Union[Dict[str, Any], None],
        "previousCallId": Union[str, None],
        "cache": Dict[str, Any],
        "told": Union[Dict[str, Any], None],
    },
)
OpenSession = TypedDict(
    "OpenSession",
    {
        "token": str,
    },
)
Session = TypedDict(
    "Session",
    {
        "tokenRequired": bool,
    },
)
ProviderList = TypedDict(
    "ProviderList",
    {
        "providers": List["Provider"],
        "defaults": Dict[str, Any],
    },
)
Provider = TypedDict(
    "Provider",
    {
        "id": str,
        "label": str,
        "protocol": str,
        "baseUrl": str,
        "ready": bool,
        "keySource": Literal["environment", "stored", "none", "not_needed", "other_address", "unreadable"],
        "keyVariable": Union[str, None],
        "simulated": bool,
        "from": Literal["built_in", "file", "page"],
        "defaultModel": str,
        "models": List["Model"],
    },
)
Model = TypedDict(
    "Model",
    {
        "id": str,
        "label": str,
        "contextWindow": float,
        "maxOutputTokens": float,
        "reasoning": Literal["none", "summary", "full", "redacted", "partial"],
        "canThink": bool,
        "alwaysThinks": bool,
        "bindsThinkingToPrefix": bool,
        "canUseTools": bool,
        "takesInstructions": bool,
        "takesFiles": List[str],
        "providerTools": List[Dict[str, Any]],
        "price": Union[Dict[str, Any], None],
    },
)
SetProviderKey = TypedDict(
    "SetProviderKey",
    {
        "key": str,
    },
)
SetProviderBaseUrl = TypedDict(
    "SetProviderBaseUrl",
    {
        "baseUrl": Union[str, None],
    },
)
SetDefaults = TypedDict(
    "SetDefaults",
    {
        "provider": str,
        "model": str,
    },
)
Tool = TypedDict(
    "Tool",
    {
        "name": str,
        "description": str,
        "approval": Literal["auto", "ask", "never"],
        "source": str,
        "available": bool,
    },
)
Diagnostics = TypedDict(
    "Diagnostics",
    {
        "availability": List[Dict[str, Any]],
        "calls": List[Dict[str, Any]],
        "drops": List[Dict[str, Any]],
        "rejections": float,
        "recorded": List[Dict[str, Any]],
        "repairs": List[Dict[str, Any]],
        "cache": List[Dict[str, Any]],
        "unrecorded": float,
    },
)
Health = TypedDict(
    "Health",
    {
        "status": Literal["ok", "starting", "stopping", "failing"],
        "checks": Dict[str, str],
    },
)
ProviderCheck = TypedDict(
    "ProviderCheck",
    {
        "outcome": Literal["works", "no_key", "key_refused", "no_permission", "rate_limited", "unreachable", "timeout", "failing", "not_found", "refused"],
        "models": Union[float, None],
        "message": Union[str, None],
        "milliseconds": float,
    },
)
DeploymentList = TypedDict(
    "DeploymentList",
    {
        "file": Union[str, None],
        "pageFile": str,
        "locked": bool,
        "deployments": List["Deployment"],
    },
)
Deployment = TypedDict(
    "Deployment",
    {
        "id": str,
        "from": Literal["file", "page"],
        "alsoInPage": bool,
        "entry": Dict[str, Any],
    },
)
DeploymentEntry = TypedDict(
    "DeploymentEntry",
    {
        "label": NotRequired[str],
        "protocol": NotRequired[Literal["anthropic-messages", "openai-responses", "openai-chat", "gemini"]],
        "baseUrl": NotRequired[str],
        "models": NotRequired[List[Union[str, Dict[str, Any]]]],
        "defaultModel": NotRequired[str],
        "headers": NotRequired[Dict[str, Union[str, None]]],
        "quirks": NotRequired[Dict[str, Any]],
    },
)
McpServerList = TypedDict(
    "McpServerList",
    {
        "file": Union[str, None],
        "pageFile": str,
        "locked": bool,
        "servers": List["McpServer"],
        "builtIn": List[Dict[str, Any]],
        "rules": List[Dict[str, Any]],
    },
)
McpServer = TypedDict(
    "McpServer",
    {
        "name": str,
        "from": Literal["file", "page"],
        "alsoInPage": bool,
        "entry": "McpServerEntry",
        "state": Literal["connected", "connecting", "failed", "disabled"],
        "problem": Union[str, None],
        "tools": List[Dict[str, Any]],
    },
)
McpServerEntry = Union[Dict[str, Any], Dict[str, Any]]
BudgetList = TypedDict(
    "BudgetList",
    {
        "file": Union[str, None],
        "pageFile": str,
        "locked": bool,
        "budgets": List["Budget"],
    },
)
Budget = TypedDict(
    "Budget",
    {
        "name": str,
        "from": Literal["file", "page"],
        "alsoInPage": bool,
        "entry": "BudgetEntry",
        "unit": Literal["usd", "tokens"],
        "limit": float,
        "endsAt": Union[str, None],
        "uses": List[Dict[str, Any]],
    },
)
BudgetEntry = TypedDict(
    "BudgetEntry",
    {
        "project": NotRequired[str],
        "client": NotRequired[str],
        "per": NotRequired[Literal["day", "month", "total"]],
        "usd": NotRequired[float],
        "tokens": NotRequired[int],
        "warnAt": NotRequired[float],
    },
)
SetApproval = TypedDict(
    "SetApproval",
    {
        "pattern": str,
        "policy": Literal["auto", "ask", "never", None],
    },
)
Costs = TypedDict(
    "Costs",
    {
        "rows": List["CostRow"],
    },
)
CostRow = TypedDict(
    "CostRow",
    {
        "day": Union[str, None],
        "projectId": Union[str, None],
        "projectName": Union[str, None],
        "client": Union[str, None],
        "provider": str,
        "model": str,
        "calls": float,
        "inputTokens": float,
        "cachedInputTokens": float,
        "cacheWriteTokens": float,
        "outputTokens": float,
        "reasoningTokens": float,
        "cost": Union[float, None],
        "unpriced": float,
        "uncounted": float,
    },
)
CreateProjectResult = TypedDict(
    "CreateProjectResult",
    {
        "project": "Project",
        "branch": "Branch",
        "notices": List["ModelNotice"],
    },
)
GetProjectResult = TypedDict(
    "GetProjectResult",
    {
        "project": "ProjectDetails",
        "branches": List["Branch"],
    },
)
UpdateProjectResult = TypedDict(
    "UpdateProjectResult",
    {
        "project": "ProjectDetails",
    },
)
DeleteProjectResult = TypedDict(
    "DeleteProjectResult",
    {
        "trashId": str,
    },
)
ListBranchesResult = TypedDict(
    "ListBranchesResult",
    {
        "branches": List["Branch"],
    },
)
CreateBranchResult = TypedDict(
    "CreateBranchResult",
    {
        "branch": "Branch",
        "notices": List["ModelNotice"],
    },
)
UpdateBranchResult = TypedDict(
    "UpdateBranchResult",
    {
        "branch": "Branch",
        "notices": NotRequired[List["ModelNotice"]],
    },
)
DeleteBranchResult = TypedDict(
    "DeleteBranchResult",
    {
        "trashId": str,
    },
)
ApproveResult = TypedDict(
    "ApproveResult",
    {
        "turnId": str,
    },
)
DeleteNodeResult = TypedDict(
    "DeleteNodeResult",
    {
        "trashId": str,
        "removed": List[str],
    },
)
DeleteTurnResult = TypedDict(
    "DeleteTurnResult",
    {
        "trashId": str,
        "removed": List[str],
    },
)
EditContentResult = TypedDict(
    "EditContentResult",
    {
        "node": "Node",
    },
)
GetNodeResult = TypedDict(
    "GetNodeResult",
    {
        "node": "Node",
    },
)
ListTrashResult = TypedDict(
    "ListTrashResult",
    {
        "entries": List["TrashEntry"],
    },
)
EmptyTrashResult = TypedDict(
    "EmptyTrashResult",
    {
        "purged": float,
    },
)
RestoreTrashResult = TypedDict(
    "RestoreTrashResult",
    {
        "entry": "TrashEntry",
    },
)
ListAnnotationsResult = TypedDict(
    "ListAnnotationsResult",
    {
        "annotations": List["ListedAnnotation"],
        "total": float,
    },
)
ProjectAnnotationsResult = TypedDict(
    "ProjectAnnotationsResult",
    {
        "annotations": List["Annotation"],
    },
)
AnnotateNodeResult = TypedDict(
    "AnnotateNodeResult",
    {
        "annotations": List["Annotation"],
    },
)
JudgeResult = TypedDict(
    "JudgeResult",
    {
        "annotations": List["Annotation"],
        "comparison": str,
    },
)
JudgedModelsResult = TypedDict(
    "JudgedModelsResult",
    {
        "models": List["ModelResult"],
    },
)
GetCanvasResult = TypedDict(
    "GetCanvasResult",
    {
        "canvas": "Canvas",
    },
)
WriteCanvasResult = TypedDict(
    "WriteCanvasResult",
    {
        "canvas": "Canvas",
    },
)
CanvasHistoryResult = TypedDict(
    "CanvasHistoryResult",
    {
        "versions": List["CanvasVersion"],
    },
)
ListQuestionsResult = TypedDict(
    "ListQuestionsResult",
    {
        "questions": List["Question"],
    },
)
DeleteQuestionResult = TypedDict(
    "DeleteQuestionResult",
    {
        "trashId": str,
    },
)
ListPresetsResult = TypedDict(
    "ListPresetsResult",
    {
        "presets": List["Preset"],
    },
)
CreatePresetResult = TypedDict(
    "CreatePresetResult",
    {
        "preset": "Preset",
    },
)
UpdatePresetResult = TypedDict(
    "UpdatePresetResult",
    {
        "preset": "Preset",
    },
)
ListPromptsResult = TypedDict(
    "ListPromptsResult",
    {
        "prompts": List["Prompt"],
    },
)
CreatePromptResult = TypedDict(
    "CreatePromptResult",
    {
        "prompt": "Prompt",
    },
)
UpdatePromptResult = TypedDict(
    "UpdatePromptResult",
    {
        "prompt": "Prompt",
    },
)
ImportPromptsResult = TypedDict(
    "ImportPromptsResult",
    {
        "added": float,
        "skipped": float,
    },
)
ListQuestionSetsResult = TypedDict(
    "ListQuestionSetsResult",
    {
        "sets": List["QuestionSet"],
    },
)
CreateQuestionSetResult = TypedDict(
    "CreateQuestionSetResult",
    {
        "set": "WholeQuestionSet",
    },
)
GetQuestionSetResult = TypedDict(
    "GetQuestionSetResult",
    {
        "set": "WholeQuestionSet",
    },
)
UpdateQuestionSetResult = TypedDict(
    "UpdateQuestionSetResult",
    {
        "set": "WholeQuestionSet",
    },
)
StartRoundResult = TypedDict(
    "StartRoundResult",
    {
        "round": "Round",
    },
)
UpdateRoundResult = TypedDict(
    "UpdateRoundResult",
    {
        "round": "Round",
    },
)
ListGatewaySessionsResult = TypedDict(
    "ListGatewaySessionsResult",
    {
        "sessions": List["GatewaySession"],
        "total": float,
    },
)
ListExchangesResult = TypedDict(
    "ListExchangesResult",
    {
        "calls": List["RecordedCall"],
    },
)
ListToolsResult = TypedDict(
    "ListToolsResult",
    {
        "tools": List["Tool"],
    },
)
SetDeploymentResult = TypedDict(
    "SetDeploymentResult",
    {
        "deployment": "Deployment",
    },
)
SetMcpServerResult = TypedDict(
    "SetMcpServerResult",
    {
        "server": "McpServer",
    },
)
ReconnectMcpServerResult = TypedDict(
    "ReconnectMcpServerResult",
    {
        "server": "McpServer",
    },
)


class Bough:
    """A server of Bough. Every method is one request."""

    def __init__(
        self, url: str = "http://127.0.0.1:4870", token: Optional[str] = None, timeout: Optional[float] = 60
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def _request(
        self,
        method: str,
        path: str,
        gives: str,
        body: Any = None,
        query: Optional[Dict[str, Any]] = None,
        headers: Optional[Dict[str, Any]] = None,
    ) -> Any:
        asked = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        sent = {name: _text(value) for name, value in (headers or {}).items() if value is not None}
        data = None
        if isinstance(body, (bytes, bytearray)):
            data = bytes(body)
            sent.setdefault("content-type", "application/octet-stream")
        elif body is not None:
            data = json.dumps(body).encode()
            sent["content-type"] = "application/json"
        if self._token is not None:
            sent["authorization"] = "Bearer " + self._token
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        with _reaching(self._url):
            try:
                response = urllib.request.urlopen(request, timeout=self._timeout)
            except urllib.error.HTTPError as failed:
                raise _error(failed) from None
        if gives == "lines":
            return _lines(response, self._url)
        with response, _reaching(self._url):
            text = response.read()
        if gives == "nothing" or not text:
            return None
        return _parsed(text) if gives == "json" else text

    def list_projects(self, *, limit: Optional[int] = None, offset: Optional[Union[int, None]] = None, search: Optional[str] = None, id: Optional[str] = None, archived: Optional[Literal["true", "false"]] = None, pinned: Optional[Literal["true", "false"]] = None, folder: Optional[str] = None) -> "ProjectList":
        "Projects, the last used first: all of them, or a page"
        return self._request("GET", "/api/projects", "json", query={"limit": limit, "offset": offset, "search": search, "id": id, "archived": archived, "pinned": pinned, "folder": folder})

    def create_project(self, body: "CreateProject") -> "CreateProjectResult":
        "The project and its first branch"
        return self._request("POST", "/api/projects", "json", body=body)

    def get_project(self, id: str) -> "GetProjectResult":
        "The project"
        return self._request("GET", f"/api/projects/{_quoted(id)}", "json")

    def update_project(self, id: str, body: "UpdateProject") -> "UpdateProjectResult":
        "The project as it is now"
        return self._request("PATCH", f"/api/projects/{_quoted(id)}", "json", body=body)

    def delete_project(self, id: str) -> "DeleteProjectResult":
        "What it is filed under in the trash"
        return self._request("DELETE", f"/api/projects/{_quoted(id)}", "json")

    def list_branches(self, id: str) -> "ListBranchesResult":
        "The branches of the project"
        return self._request("GET", f"/api/projects/{_quoted(id)}/branches", "json")

    def create_branch(self, id: str, body: "CreateBranch") -> "CreateBranchResult":
        "The new branch"
        return self._request("POST", f"/api/projects/{_quoted(id)}/branches", "json", body=body)

    def update_branch(self, id: str, name: str, body: "UpdateBranch") -> "UpdateBranchResult":
        "The branch as it is now"
        return self._request("PATCH", f"/api/projects/{_quoted(id)}/branches/{_quoted(name)}", "json", body=body)

    def delete_branch(self, id: str, name: str) -> "DeleteBranchResult":
        "What it is filed under in the trash"
        return self._request("DELETE", f"/api/projects/{_quoted(id)}/branches/{_quoted(name)}", "json")

    def chat(self, id: str, body: "Chat") -> Iterator[Dict[str, Any]]:
        "The turn as it happens"
        return self._request("POST", f"/api/projects/{_quoted(id)}/chat", "lines", body=body)

    def edit(self, id: str, body: "Edit") -> Iterator[Dict[str, Any]]:
        "The turn on the new branch, as it happens"
        return self._request("POST", f"/api/projects/{_quoted(id)}/edit", "lines", body=body)

    def continue_turn(self, id: str, body: "Continue") -> Iterator[Dict[str, Any]]:
        "The turn that continues an interrupted reply"
        return self._request("POST", f"/api/projects/{_quoted(id)}/continue", "lines", body=body)

    def regenerate(self, id: str, body: "Regenerate") -> "StartedTurns":
        "The turns that make the sibling replies; watch each by its stream"
        return self._request("POST", f"/api/projects/{_quoted(id)}/regenerate", "json", body=body)

    def interrupt(self, id: str, body: "Interrupt") -> "Interrupted":
        "The turn that is being stopped, or all of them"
        return self._request("POST", f"/api/projects/{_quoted(id)}/interrupt", "json", body=body)

    def approve(self, id: str, body: "Approve") -> "ApproveResult":
        "The turn that goes on"
        return self._request("POST", f"/api/projects/{_quoted(id)}/approve", "json", body=body)

    def turn_stream(self, id: str, turn_id: str, *, after: Optional[Union[int, None]] = None) -> Iterator[Dict[str, Any]]:
        "The lines of the turn after `after`, then as they come"
        return self._request("GET", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}/stream", "lines", query={"after": after})

    def watch(self, *, project: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        "Turns that begin, end or wait for an approval in any project, and every change of the one given"
        return self._request("GET", "/api/watch", "lines", query={"project": project})

    def watch_project(self, id: str) -> Iterator[Dict[str, Any]]:
        "One line for every change of the project"
        return self._request("GET", f"/api/projects/{_quoted(id)}/watch", "lines")

    def ask(self, id: str, body: "Ask") -> "Asked":
        "The turns that answer, each on a branch of its own, and what was refused"
        return self._request("POST", f"/api/projects/{_quoted(id)}/ask", "json", body=body)

    def ask_estimate(self, id: str, body: "Ask") -> "AskEstimate":
        "What the same question would cost, target by target"
        return self._request("POST", f"/api/projects/{_quoted(id)}/ask/estimate", "json", body=body)

    def keep_answers(self, id: str, body: "Keep") -> "Kept":
        "The branches that were put into the trash"
        return self._request("POST", f"/api/projects/{_quoted(id)}/ask/keep", "json", body=body)

    def history(self, id: str, *, ref: str, before: Optional[str] = None, after: Optional[str] = None, around: Optional[str] = None, limit: Optional[int] = None) -> "History":
        "The newest turns of the branch, or those before, after or around a node"
        return self._request("GET", f"/api/projects/{_quoted(id)}/history", "json", query={"ref": ref, "before": before, "after": after, "around": around, "limit": limit})

    def graph(self, id: str, *, after: Optional[str] = None, count: Optional[int] = None, limit: Optional[int] = None, ref: Optional[str] = None, open: Optional[str] = None) -> "Graph":
        "The tree without its content: whole, its outline, a part, or what is new"
        return self._request("GET", f"/api/projects/{_quoted(id)}/graph", "json", query={"after": after, "count": count, "limit": limit, "ref": ref, "open": open})

    def find_nodes(self, id: str, *, id_in_query: str) -> "NodeIds":
        "The nodes whose ids begin with this, at most ten"
        return self._request("GET", f"/api/projects/{_quoted(id)}/nodes", "json", query={"id": id_in_query})

    def context(self, id: str, body: "ContextRequest") -> "Context":
        "The exact request that would be sent, and what happens to every node"
        return self._request("POST", f"/api/projects/{_quoted(id)}/context", "json", body=body)

    def context_report(self, id: str, body: "ContextReportRequest") -> "ContextReport":
        "What happens to every node, without the request itself"
        return self._request("POST", f"/api/projects/{_quoted(id)}/context/report", "json", body=body)

    def raw_(self, id: str, node_id: str) -> "Raw":
        "The provider’s own bytes"
        return self._request("GET", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}/raw", "json")

    def set_thinking(self, id: str, node_id: str, body: "SetThinkingInContext") -> "ThinkingInContext":
        "The node, and a warning where one is due"
        return self._request("PUT", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}/thinking", "json", body=body)

    def delete_node(self, id: str, node_id: str, *, mode: Optional[Literal["cascade", "reparent"]] = None) -> "DeleteNodeResult":
        "What was removed"
        return self._request("DELETE", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}", "json", query={"mode": mode})

    def delete_turn(self, id: str, turn_id: str, *, mode: Optional[Literal["cascade", "reparent"]] = None) -> "DeleteTurnResult":
        "What was removed"
        return self._request("DELETE", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}", "json", query={"mode": mode})

    def compaction(self, id: str, body: "CompactionRequest") -> "CompactionPreview":
        "What a summary would stand for, do and cost"
        return self._request("POST", f"/api/projects/{_quoted(id)}/compaction", "json", body=body)

    def compact(self, id: str, body: "Compact") -> "Compacted":
        "The new branch, with a summary in place of its beginning"
        return self._request("POST", f"/api/projects/{_quoted(id)}/compact", "json", body=body)

    def summary(self, id: str, *, ref: str) -> "Summary":
        "The summary that counts on a branch, or null"
        return self._request("GET", f"/api/projects/{_quoted(id)}/summary", "json", query={"ref": ref})

    def merge_preview(self, id: str, body: "MergeRequest") -> "MergePreview":
        "What a merge would bring, and what that costs"
        return self._request("POST", f"/api/projects/{_quoted(id)}/merge/preview", "json", body=body)

    def merge(self, id: str, body: "Merge") -> "Merged":
        "The merge, at the end of the branch that it was brought to"
        return self._request("POST", f"/api/projects/{_quoted(id)}/merge", "json", body=body)

    def read_merge(self, id: str, node_id: str) -> "MergeView":
        "Where a merge came from, and what it brought"
        return self._request("GET", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}/merge", "json")

    def search(self, *, q: Optional[str] = None, project: Optional[str] = None, branch: Optional[str] = None, role: Optional[str] = None, model: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, has: Optional[Literal["file", "star", "bookmark", "note", "verdict"]] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> "Search":
        "Names and messages of all projects, or of one, that match"
        return self._request("GET", "/api/search", "json", query={"q": q, "project": project, "branch": branch, "role": role, "model": model, "from": from_, "to": to, "has": has, "limit": limit, "cursor": cursor})

    def append_messages(self, node_id: str, body: "AppendMessages") -> "Appended":
        "The nodes of the sequence, found or new; a project’s id stands for its root"
        return self._request("POST", f"/api/nodes/{_quoted(node_id)}/append", "json", body=body)

    def edit_content(self, node_id: str, body: "EditContent") -> "EditContentResult":
        "The new sibling; the node itself and what follows it stay"
        return self._request("PUT", f"/api/nodes/{_quoted(node_id)}/content", "json", body=body)

    def get_node(self, node_id: str) -> "GetNodeResult":
        "The node"
        return self._request("GET", f"/api/nodes/{_quoted(node_id)}", "json")

    def get_path(self, node_id: str) -> "NodeList":
        "From the root to the node"
        return self._request("GET", f"/api/nodes/{_quoted(node_id)}/path", "json")

    def get_children(self, node_id: str) -> "NodeList":
        "In order of creation"
        return self._request("GET", f"/api/nodes/{_quoted(node_id)}/children", "json")

    def get_siblings(self, node_id: str) -> "NodeList":
        "The node among its siblings, in order of creation"
        return self._request("GET", f"/api/nodes/{_quoted(node_id)}/siblings", "json")

    def node_deletion(self, id: str, node_id: str, *, mode: Optional[Literal["cascade", "reparent"]] = None) -> "Deletion":
        "What deleting the node would do"
        return self._request("GET", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}/deletion", "json", query={"mode": mode})

    def turn_deletion(self, id: str, turn_id: str, *, mode: Optional[Literal["cascade", "reparent"]] = None) -> "Deletion":
        "What deleting the turn would do"
        return self._request("GET", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}/deletion", "json", query={"mode": mode})

    def branch_deletion(self, id: str, name: str) -> "Deletion":
        "What deleting the branch would do"
        return self._request("GET", f"/api/projects/{_quoted(id)}/branches/{_quoted(name)}/deletion", "json")

    def list_trash(self, *, project: Optional[str] = None) -> "ListTrashResult":
        "What can be restored, newest first"
        return self._request("GET", "/api/trash", "json", query={"project": project})

    def empty_trash(self, *, project: Optional[str] = None) -> "EmptyTrashResult":
        "How many entries were deleted for good"
        return self._request("DELETE", "/api/trash", "json", query={"project": project})

    def restore_trash(self, trash_id: str) -> "RestoreTrashResult":
        "What was restored"
        return self._request("POST", f"/api/trash/{_quoted(trash_id)}/restore", "json")

    def purge_trash(self, trash_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/trash/{_quoted(trash_id)}", "nothing")

    def list_annotations(self, *, project: Optional[str] = None, kind: Optional[str] = None, limit: Optional[int] = None, offset: Optional[Union[int, None]] = None) -> "ListAnnotationsResult":
        "Stars, bookmarks, notes and verdicts, the newest first"
        return self._request("GET", "/api/annotations", "json", query={"project": project, "kind": kind, "limit": limit, "offset": offset})

    def project_annotations(self, id: str) -> "ProjectAnnotationsResult":
        "All that is kept beside the messages of a project"
        return self._request("GET", f"/api/projects/{_quoted(id)}/annotations", "json")

    def annotate_node(self, id: str, node_id: str, body: "AnnotateNode") -> "AnnotateNodeResult":
        "All that is kept beside the message now"
        return self._request("PUT", f"/api/projects/{_quoted(id)}/nodes/{_quoted(node_id)}/annotations", "json", body=body)

    def judge(self, id: str, body: "Judge") -> "JudgeResult":
        "The verdicts, one beside each reply"
        return self._request("POST", f"/api/projects/{_quoted(id)}/verdicts", "json", body=body)

    def judged_models(self, *, project: Optional[str] = None) -> "JudgedModelsResult":
        "How each model fared"
        return self._request("GET", "/api/verdicts", "json", query={"project": project})

    def get_canvas(self, id: str, *, ref: str, version: Optional[str] = None) -> "GetCanvasResult":
        "The document as a branch has it, or an older version"
        return self._request("GET", f"/api/projects/{_quoted(id)}/canvas", "json", query={"ref": ref, "version": version})

    def write_canvas(self, id: str, body: "WriteCanvas") -> "WriteCanvasResult":
        "The version that counts now"
        return self._request("PUT", f"/api/projects/{_quoted(id)}/canvas", "json", body=body)

    def canvas_history(self, id: str, *, ref: str) -> "CanvasHistoryResult":
        "The versions of a branch, the newest first"
        return self._request("GET", f"/api/projects/{_quoted(id)}/canvas/history", "json", query={"ref": ref})

    def merge_canvas(self, id: str, body: "MergeCanvas") -> "MergedCanvas":
        "What came of it; stored unless a conflict is open"
        return self._request("POST", f"/api/projects/{_quoted(id)}/canvas/merge", "json", body=body)

    def ask_about(self, id: str, body: "AskAbout") -> "Asked":
        "The question; its turn runs in the background"
        return self._request("POST", f"/api/projects/{_quoted(id)}/questions", "json", body=body)

    def list_questions(self, id: str, *, nodes: Optional[str] = None) -> "ListQuestionsResult":
        "What was asked about words, the newest first"
        return self._request("GET", f"/api/projects/{_quoted(id)}/questions", "json", query={"nodes": nodes})

    def delete_question(self, id: str, name: str) -> "DeleteQuestionResult":
        "What its branch is filed under in the trash"
        return self._request("DELETE", f"/api/projects/{_quoted(id)}/questions/{_quoted(name)}", "json")

    def list_presets(self) -> "ListPresetsResult":
        "Presets, in the order of creation"
        return self._request("GET", "/api/presets", "json")

    def create_preset(self, body: "CreatePreset") -> "CreatePresetResult":
        "The new preset"
        return self._request("POST", "/api/presets", "json", body=body)

    def update_preset(self, preset_id: str, body: "UpdatePreset") -> "UpdatePresetResult":
        "The preset as it is now"
        return self._request("PATCH", f"/api/presets/{_quoted(preset_id)}", "json", body=body)

    def delete_preset(self, preset_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/presets/{_quoted(preset_id)}", "nothing")

    def list_prompts(self) -> "ListPromptsResult":
        "The prompt library"
        return self._request("GET", "/api/prompts", "json")

    def create_prompt(self, body: "CreatePrompt") -> "CreatePromptResult":
        "The new prompt"
        return self._request("POST", "/api/prompts", "json", body=body)

    def update_prompt(self, prompt_id: str, body: "UpdatePrompt") -> "UpdatePromptResult":
        "The prompt as it is now"
        return self._request("PATCH", f"/api/prompts/{_quoted(prompt_id)}", "json", body=body)

    def delete_prompt(self, prompt_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/prompts/{_quoted(prompt_id)}", "nothing")

    def import_prompts(self, body: "ImportPrompts") -> "ImportPromptsResult":
        "How many were new; those that are there stay"
        return self._request("POST", "/api/prompts/import", "json", body=body)

    def get_title_model(self) -> "TitleModel":
        "The model that writes titles"
        return self._request("GET", "/api/title-model", "json")

    def set_title_model(self, body: "TitleModel") -> None:
        "Done"
        return self._request("PUT", "/api/title-model", "nothing", body=body)

    def list_question_sets(self) -> "ListQuestionSetsResult":
        "Question sets and their rounds"
        return self._request("GET", "/api/question-sets", "json")

    def create_question_set(self, body: "CreateQuestionSet") -> "CreateQuestionSetResult":
        "The new set"
        return self._request("POST", "/api/question-sets", "json", body=body)

    def get_question_set(self, set_id: str) -> "GetQuestionSetResult":
        "The set with its questions"
        return self._request("GET", f"/api/question-sets/{_quoted(set_id)}", "json")

    def update_question_set(self, set_id: str, body: "UpdateQuestionSet") -> "UpdateQuestionSetResult":
        "The set as it is now"
        return self._request("PATCH", f"/api/question-sets/{_quoted(set_id)}", "json", body=body)

    def delete_question_set(self, set_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/question-sets/{_quoted(set_id)}", "nothing")

    def estimate_round(self, set_id: str, body: "EstimateRound") -> "RoundEstimate":
        "What a round would cost, target by target"
        return self._request("POST", f"/api/question-sets/{_quoted(set_id)}/estimate", "json", body=body)

    def start_round(self, set_id: str, body: "StartRound") -> "StartRoundResult":
        "The round, which goes on in the background"
        return self._request("POST", f"/api/question-sets/{_quoted(set_id)}/rounds", "json", body=body)

    def get_round(self, round_id: str, *, offset: Optional[Union[int, None]] = None, limit: Optional[int] = None, characters: Optional[int] = None) -> "RoundTable":
        "The round, and its answers as a table"
        return self._request("GET", f"/api/rounds/{_quoted(round_id)}", "json", query={"offset": offset, "limit": limit, "characters": characters})

    def update_round(self, round_id: str, body: "UpdateRound") -> "UpdateRoundResult":
        "The round as it is now"
        return self._request("PATCH", f"/api/rounds/{_quoted(round_id)}", "json", body=body)

    def delete_round(self, round_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/rounds/{_quoted(round_id)}", "nothing")

    def round_csv(self, round_id: str) -> bytes:
        "All answers, one in a line"
        return self._request("GET", f"/api/rounds/{_quoted(round_id)}/answers.csv", "bytes")

    def count_dataset(self, *, project: Optional[str] = None, shape: Optional[Literal["messages", "prompt-completion", "sharegpt", "preference"]] = None, format: Optional[Literal["jsonl", "parquet"]] = None, reasoning: Optional[Literal["none", "field", "think"]] = None, tools: Optional[Literal["true", "false"]] = None, files: Optional[Literal["true", "false"]] = None, notes: Optional[Literal["true", "false"]] = None, starred: Optional[Literal["true", "false"]] = None, verdict: Optional[str] = None, blind: Optional[Literal["true", "false"]] = None, model: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None) -> "DatasetCount":
        "How many records there would be, and what would be left out"
        return self._request("GET", "/api/dataset/count", "json", query={"project": project, "shape": shape, "format": format, "reasoning": reasoning, "tools": tools, "files": files, "notes": notes, "starred": starred, "verdict": verdict, "blind": blind, "model": model, "since": since, "until": until})

    def export_dataset(self, *, project: Optional[str] = None, shape: Optional[Literal["messages", "prompt-completion", "sharegpt", "preference"]] = None, format: Optional[Literal["jsonl", "parquet"]] = None, reasoning: Optional[Literal["none", "field", "think"]] = None, tools: Optional[Literal["true", "false"]] = None, files: Optional[Literal["true", "false"]] = None, notes: Optional[Literal["true", "false"]] = None, starred: Optional[Literal["true", "false"]] = None, verdict: Optional[str] = None, blind: Optional[Literal["true", "false"]] = None, model: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None) -> bytes:
        "A ZIP file with the data, the list of its records and its manifest"
        return self._request("GET", "/api/dataset", "bytes", query={"project": project, "shape": shape, "format": format, "reasoning": reasoning, "tools": tools, "files": files, "notes": notes, "starred": starred, "verdict": verdict, "blind": blind, "model": model, "since": since, "until": until})

    def import_limits(self) -> "ImportLimits":
        "What may be imported"
        return self._request("GET", "/api/import", "json")

    def import_file(self, body: bytes, *, name: Optional[str] = None, on_error: Optional[Literal["skip", "stop"]] = None) -> Iterator[Dict[str, Any]]:
        "How far it is, then the report or an error"
        return self._request("POST", "/api/import", "lines", body=body, query={"name": name, "onError": on_error})

    def export_project(self, id: str, *, format: Optional[Literal["bundle", "markdown", "html"]] = None, ref: Optional[str] = None, reasoning: Optional[Literal["included", "folded", "none"]] = None) -> bytes:
        "A ZIP file with everything, or a branch as a document"
        return self._request("GET", f"/api/projects/{_quoted(id)}/export", "bytes", query={"format": format, "ref": ref, "reasoning": reasoning})

    def upload_blob(self, body: bytes, *, name: str) -> "Upload":
        "The file as a block of a message"
        return self._request("POST", "/api/blobs", "json", body=body, query={"name": name})

    def get_blob(self, hash: str, *, project: Optional[str] = None, name: Optional[str] = None) -> bytes:
        "The bytes"
        return self._request("GET", f"/api/blobs/{_quoted(hash)}", "bytes", query={"project": project, "name": name})

    def get_gateway(self) -> "Gateway":
        "Which clients came through the gateway of this server"
        return self._request("GET", "/api/gateway", "json")

    def list_gateway_sessions(self, *, limit: Optional[int] = None, offset: Optional[Union[int, None]] = None) -> "ListGatewaySessionsResult":
        "The projects that other clients talk into, the last used first"
        return self._request("GET", "/api/gateway/sessions", "json", query={"limit": limit, "offset": offset})

    def list_exchanges(self, id: str, turn_id: str) -> "ListExchangesResult":
        "The calls that a client of the gateway made"
        return self._request("GET", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}/exchanges", "json")

    def get_exchange(self, id: str, turn_id: str, call_id: str) -> "Exchange":
        "What came, what left, and what became of the cache"
        return self._request("GET", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}/exchanges/{_quoted(call_id)}", "json")

    def get_exchange_body(self, id: str, turn_id: str, call_id: str, *, of: Literal["came", "sent"]) -> bytes:
        "A body to the byte, as a file"
        return self._request("GET", f"/api/projects/{_quoted(id)}/turns/{_quoted(turn_id)}/exchanges/{_quoted(call_id)}/body", "bytes", query={"of": of})

    def open_session(self, body: "OpenSession") -> None:
        "Done"
        return self._request("POST", "/api/session", "nothing", body=body)

    def get_session(self) -> "Session":
        "Whether this server asks for a token"
        return self._request("GET", "/api/session", "json")

    def close_session(self) -> None:
        "Done"
        return self._request("DELETE", "/api/session", "nothing")

    def list_providers(self) -> "ProviderList":
        "Providers and their models"
        return self._request("GET", "/api/providers", "json")

    def set_provider_key(self, provider_id: str, body: "SetProviderKey") -> None:
        "Done"
        return self._request("PUT", f"/api/providers/{_quoted(provider_id)}/key", "nothing", body=body)

    def delete_provider_key(self, provider_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/providers/{_quoted(provider_id)}/key", "nothing")

    def set_provider_base_url(self, provider_id: str, body: "SetProviderBaseUrl") -> None:
        "Done"
        return self._request("PUT", f"/api/providers/{_quoted(provider_id)}/base-url", "nothing", body=body)

    def set_defaults(self, body: "SetDefaults") -> None:
        "Done"
        return self._request("PUT", "/api/defaults", "nothing", body=body)

    def list_tools(self) -> "ListToolsResult":
        "Tools that a branch may use"
        return self._request("GET", "/api/tools", "json")

    def diagnostics(self) -> "Diagnostics":
        "Counts"
        return self._request("GET", "/api/diagnostics/thinking", "json")

    def healthz(self) -> "Health":
        "Alive"
        return self._request("GET", "/api/healthz", "json")

    def ready(self) -> "Health":
        "Ready to take requests"
        return self._request("GET", "/api/healthz/ready", "json")

    def metrics(self) -> bytes:
        "Prometheus text"
        return self._request("GET", "/api/metrics", "bytes")

    def test_provider(self, provider_id: str) -> "ProviderCheck":
        "What came of asking the provider"
        return self._request("POST", f"/api/providers/{_quoted(provider_id)}/test", "json")

    def list_deployments(self) -> "DeploymentList":
        "The entries of `providers`, and where they come from"
        return self._request("GET", "/api/deployments", "json")

    def set_deployment(self, deployment_id: str, body: "DeploymentEntry") -> "SetDeploymentResult":
        "The entry as it is now"
        return self._request("PUT", f"/api/deployments/{_quoted(deployment_id)}", "json", body=body)

    def delete_deployment(self, deployment_id: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/deployments/{_quoted(deployment_id)}", "nothing")

    def list_mcp_servers(self) -> "McpServerList":
        "Tool servers, their state, their tools and the rules for them"
        return self._request("GET", "/api/mcp-servers", "json")

    def set_mcp_server(self, server_name: str, body: "McpServerEntry") -> "SetMcpServerResult":
        "The server as it is now"
        return self._request("PUT", f"/api/mcp-servers/{_quoted(server_name)}", "json", body=body)

    def delete_mcp_server(self, server_name: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/mcp-servers/{_quoted(server_name)}", "nothing")

    def reconnect_mcp_server(self, server_name: str) -> "ReconnectMcpServerResult":
        "The server after the attempt"
        return self._request("POST", f"/api/mcp-servers/{_quoted(server_name)}/reconnect", "json")

    def list_budgets(self, *, project: Optional[str] = None) -> "BudgetList":
        "Budgets, and what is used of them"
        return self._request("GET", "/api/budgets", "json", query={"project": project})

    def set_budget(self, budget_name: str, body: "BudgetEntry") -> None:
        "Done"
        return self._request("PUT", f"/api/budgets/{_quoted(budget_name)}", "nothing", body=body)

    def delete_budget(self, budget_name: str) -> None:
        "Done"
        return self._request("DELETE", f"/api/budgets/{_quoted(budget_name)}", "nothing")

    def set_approval(self, body: "SetApproval") -> None:
        "Done"
        return self._request("PUT", "/api/approval", "nothing", body=body)

    def costs(self, *, from_: Optional[str] = None, until: Optional[str] = None, project: Optional[str] = None, by: Optional[str] = None) -> "Costs":
        "What was used and what it cost, by model"
        return self._request("GET", "/api/costs", "json", query={"from": from_, "until": until, "project": project, "by": by})

    def costs_csv(self, *, from_: Optional[str] = None, until: Optional[str] = None, project: Optional[str] = None, by: Optional[str] = None) -> bytes:
        "The same as a table"
        return self._request("GET", "/api/costs.csv", "bytes", query={"from": from_, "until": until, "project": project, "by": by})

    def branch_costs(self, id: str, name: str) -> "Costs":
        "What the messages of a branch cost, by model"
        return self._request("GET", f"/api/projects/{_quoted(id)}/branches/{_quoted(name)}/costs", "json")
