//! Control flow: loops, `with` and `try`, and the statements that leave them (`break`, `continue`, `return`).

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{ExceptHandler, Stmt, StmtTry};
use ruff_text_size::Ranged;

use crate::blocks::{Block, Blocks};
use crate::walk::Walk;

impl Walk<'_> {
    /// A loop, `with` or `try`.
    pub(crate) fn block_statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::For(each) => {
                self.visit_expr(&each.iter);
                self.visit_expr(&each.target);
                self.block(&[Block::Loop], &each.body, stmt);
                self.visit_body(&each.orelse);
            }
            Stmt::While(repeat) => {
                self.visit_expr(&repeat.test);
                self.block(&[Block::Loop], &repeat.body, stmt);
                self.visit_body(&repeat.orelse);
            }
            Stmt::With(with) => {
                for item in &with.items {
                    self.not_starred(item.optional_vars.as_deref());
                    self.visit_with_item(item);
                }
                self.block(&vec![Block::Guarded; with.items.len()], &with.body, stmt);
            }
            Stmt::Try(attempt) => self.try_statement(attempt, stmt),
            _ => {}
        }
    }

    /// A statement that leaves blocks, if it is one.
    pub(crate) fn leave(&self, stmt: &Stmt) {
        let leaves = match stmt {
            Stmt::Break(_) | Stmt::Continue(_) => {
                self.context.blocks().is_some_and(Blocks::loop_is_outside_except_star)
            }
            Stmt::Return(_) => self.context.blocks().is_some_and(Blocks::in_except_star),
            _ => false,
        };
        if leaves {
            let message = "'break', 'continue' and 'return' cannot appear in an except* block";
            self.context.refuse(stmt.start(), message);
        }
    }

    /// A body inside blocks.
    fn block(&mut self, blocks: &[Block], body: &[Stmt], stmt: &Stmt) {
        for block in blocks {
            let refused = self.context.blocks_mut().and_then(|around| around.push(*block).err());
            if let Some(message) = refused {
                self.context.refuse(stmt.start(), message);
            }
        }
        self.visit_body(body);
        for _ in blocks {
            self.context.blocks_mut().into_iter().for_each(Blocks::pop);
        }
    }

    fn try_statement(&mut self, attempt: &StmtTry, stmt: &Stmt) {
        self.context.enter_try();
        let around: &[Block] = if attempt.finalbody.is_empty() { &[] } else { &[Block::Guarded] };
        let handled: &[Block] = if attempt.handlers.is_empty() { &[] } else { &[Block::Guarded] };
        self.block(&[around, handled].concat(), &attempt.body, stmt);
        let handler_block = if attempt.is_star { Block::ExceptStar } else { Block::Guarded };
        let handler_blocks = [around, &[Block::Guarded, handler_block]].concat();
        for (index, ExceptHandler::ExceptHandler(handler)) in attempt.handlers.iter().enumerate() {
            match &handler.type_ {
                Some(caught) => self.visit_expr(caught),
                None if index + 1 < attempt.handlers.len() => {
                    self.context.refuse(handler.start(), "default 'except:' must be last");
                }
                None => {}
            }
            if let Some(name) = &handler.name {
                self.bind(&name.id);
            }
            self.block(&handler_blocks, &handler.body, stmt);
        }
        self.block(around, &attempt.orelse, stmt);
        self.block(around, &attempt.finalbody, stmt);
        self.context.leave_try();
    }
}
