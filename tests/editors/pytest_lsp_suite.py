"""The language server with the client of pytest-lsp (PyPI), which nobody here wrote. CMC_PROGRAM is in the environment."""
import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

TEXT = "#define LIMIT 3\nbyte x;\nactive proctype P(){\nx = LIMIT;\nassert(x != LIMIT)\n}\n"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["CMC_PROGRAM"], "lsp"]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=pathlib.Path.cwd().as_uri()))
    yield
    await lsp_client.shutdown_session()


def opened(client, name, text):
    uri = (pathlib.Path.cwd() / name).as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="promela", version=1, text=text)))
    return types.TextDocumentIdentifier(uri)


@pytest.mark.asyncio
async def test_names(client: LanguageClient):
    document = opened(client, "names.pml", TEXT)
    where = types.Position(3, 5)
    found = await client.text_document_definition_async(types.DefinitionParams(document, where))
    assert found.range.start.line == 0
    hover = await client.text_document_hover_async(types.HoverParams(document, where))
    assert "#define LIMIT 3" in hover.contents.value
    items = await client.text_document_completion_async(types.CompletionParams(document, types.Position(3, 0)))
    assert {"x", "LIMIT", "do"} <= {item.label for item in items}
    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert {"LIMIT", "x", "P"} <= {each.name for each in outline}
    renamed = await client.text_document_rename_async(types.RenameParams(text_document=document, position=types.Position(1, 5), new_name="y"))
    assert sum(map(len, renamed.changes.values())) == 3
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert tokens.data and len(tokens.data) % 5 == 0
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert [(each.start_line, each.end_line) for each in folds] == [(2, 5)]


@pytest.mark.asyncio
async def test_mistakes(client: LanguageClient):
    document = opened(client, "mistakes.pml", TEXT.replace("byte x", "byte counter").replace("x = LIMIT", "cuonter = LIMIT"))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    found = client.diagnostics[document.uri][0]
    assert found.severity == types.DiagnosticSeverity.Error and found.range.start.line == 3
    actions = await client.text_document_code_action_async(types.CodeActionParams(document, found.range, types.CodeActionContext(diagnostics=[])))
    assert "Change to 'counter'" in [each.title for each in actions]


@pytest.mark.asyncio
async def test_layout(client: LanguageClient):
    document = opened(client, "layout.pml", TEXT)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, types.FormattingOptions(tab_size=2, insert_spaces=True)))
    assert [each.new_text for each in edits] == ["active proctype P() {", "  x = LIMIT;", "  assert(x != LIMIT)"]


@pytest.mark.asyncio
async def test_a_check_from_a_lens(client: LanguageClient):
    document = opened(client, "check.pml", TEXT)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    check = next(each.command for each in lenses if each.command.command == "cmc.check")
    await client.workspace_execute_command_async(types.ExecuteCommandParams(check.command, check.arguments))
    while not any(each.source == "cmc check" for each in client.diagnostics.get(document.uri, [])):
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert [each.range.start.line for each in client.diagnostics[document.uri]] == [4]
    report = await client.workspace_execute_command_async(types.ExecuteCommandParams("cmc.why", check.arguments))
    assert "assert" in report
