-- Run by nvim_test.py in a headless Neovim: opens a model, makes a mistake, completes, jumps through a macro, renames, and
-- writes what it saw as lines of NAME VALUE to the file $CMC_SEEN.
local seen = assert(io.open(vim.env.CMC_SEEN, "w"))
local function note(name, value)
  seen:write(name, " ", tostring(value), "\n")
end
local function wait_for(name, condition)
  note(name, vim.wait(20000, condition, 5))
end
local function place(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
end
local function request(method, more)
  local parameters = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), more or {})
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 20000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

vim.cmd("edit " .. vim.env.CMC_MODEL)
local id = vim.lsp.start_client({ name = "cmc", cmd = { vim.env.CMC_PROGRAM, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
wait_for("attached", function()
  local client = vim.lsp.get_client_by_id(id)
  return client ~= nil and client.initialized
end)
local function errors()
  return #vim.diagnostic.get(0)
end

-- line 5 is `  x = LIMIT;`
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "  x = LIMIT_;" })
wait_for("mistake", function() return errors() > 0 end)
note("message", vim.diagnostic.get(0)[1].message)
note("line", vim.diagnostic.get(0)[1].lnum + 1)
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "  x = LIMIT;" })
wait_for("mended", function() return errors() == 0 end)

place(5, 6)
note("definition", request("textDocument/definition").range.start.line + 1)
note("hover", (request("textDocument/hover").contents.value:gsub("\n", " | ")))
place(5, 2)
local labels = {}
for _, item in ipairs(request("textDocument/completion")) do
  labels[item.label] = true
end
note("completes", labels["x"] and labels["LIMIT"] and labels["do"])
vim.lsp.util.apply_workspace_edit(request("textDocument/rename", { newName = "counter" }), "utf-16")
note("renamed", table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), " | "))
wait_for("still right", function() return errors() == 0 end)

-- Layout.
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "counter=LIMIT;" })
local edits = request("textDocument/formatting", { options = { tabSize = 2, insertSpaces = true } })
vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
note("formatted", vim.api.nvim_buf_get_lines(0, 4, 5, false)[1])

-- A check from the lens above the process.
vim.ui.select = function(items, _, choose) choose(items[1], 1) end
local function lens()
  vim.lsp.codelens.refresh()
  for _, each in ipairs(vim.lsp.codelens.get(0)) do
    if each.range.start.line == 3 and each.command.command == "cmc.check" then
      return each.command.title
    end
  end
end
wait_for("lens", function() return lens() == "check" end)
place(4, 0)
vim.lsp.codelens.run()
wait_for("checked", function() return (lens() or ""):find("^holds") ~= nil end)

-- The check finds what is violated, and marks it.
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "  counter = LIMIT + 1;" })
wait_for("lens again", function() return lens() == "check" end)
vim.lsp.codelens.run()
wait_for("violated", function() return errors() > 0 end)
note("violated line", vim.diagnostic.get(0)[1].lnum + 1)
vim.lsp.stop_client(id)
seen:close()
vim.cmd("quitall!")
