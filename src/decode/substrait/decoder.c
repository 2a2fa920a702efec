/* Plans: what they declare, their root, and the entry point of the decoder. */
#include "decode/substrait/internal.h"

#include <string.h>

/* ---- declarations ---- */

/* "functions_arithmetic" of "…/functions_arithmetic.yaml" and of "extension:io.substrait:functions_arithmetic". */
static const char *tail_of(decoder *d, const char *name)
{
    static const char SUFFIX[] = ".yaml";
    const char *start = name;
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '/' || *c == ':')
            start = c + 1;
    }
    size_t size = strlen(start);
    if (size > strlen(SUFFIX) && strcmp(start + size - strlen(SUFFIX), SUFFIX) == 0)
        size -= strlen(SUFFIX);
    return pt__arena_copy_text(d->arena, start, size);
}

static const char *extension_name(const decoder *d, uint32_t urn, uint32_t uri)
{
    for (size_t i = 0; i < d->plan->n_extension_urns; i++) {
        if (d->plan->extension_urns[i]->extension_urn_anchor == urn)
            return d->plan->extension_urns[i]->urn;
    }
    for (size_t i = 0; i < d->plan->n_extension_uris; i++) {
        if (d->plan->extension_uris[i]->extension_uri_anchor == uri)
            return d->plan->extension_uris[i]->uri;
    }
    return NULL;
}

static pt__substrait_declaration declare(decoder *d, uint32_t anchor, const char *name, uint32_t urn, uint32_t uri)
{
    const char *full = extension_name(d, urn, uri);
    if (full != NULL && *full == '\0')
        full = NULL;
    return (pt__substrait_declaration){anchor, name, full == NULL ? NULL : tail_of(d, full), full};
}

static void read_declarations(decoder *d)
{
    for (size_t i = 0; i < d->plan->n_extensions; i++) {
        const Substrait__Extensions__SimpleExtensionDeclaration *m = d->plan->extensions[i];
        if (m->mapping_type_case ==
            SUBSTRAIT__EXTENSIONS__SIMPLE_EXTENSION_DECLARATION__MAPPING_TYPE_EXTENSION_FUNCTION) {
            const Substrait__Extensions__SimpleExtensionDeclaration__ExtensionFunction *f = m->extension_function;
            pt__list_push(
                d->arena, &d->functions,
                declare(d, f->function_anchor, f->name, f->extension_urn_reference, f->extension_uri_reference));
        } else if (m->mapping_type_case ==
                   SUBSTRAIT__EXTENSIONS__SIMPLE_EXTENSION_DECLARATION__MAPPING_TYPE_EXTENSION_TYPE) {
            const Substrait__Extensions__SimpleExtensionDeclaration__ExtensionType *t = m->extension_type;
            pt__list_push(d->arena, &d->types,
                          declare(d, t->type_anchor, t->name, t->extension_urn_reference, t->extension_uri_reference));
        }
    }
}

/* ---- names of the root ---- */

static pt_status count_names(decoder *d, size_t names, size_t next)
{
    if (names == next)
        return PT_OK;
    return pt__substrait_bad(d, "there are %zu names for %zu columns and fields of the root", names, next);
}

pt_status pt__substrait_root_names(decoder *d, char *const *names, size_t count, relation_of *relation)
{
    if (relation->columns == NULL) {
        relation->plan = pt__substrait_to_df(d, relation->plan, (const char *const *)names, count);
        return PT_OK;
    }
    size_t width = relation->columns->field_count;
    const char **top = pt__arena_array(d->arena, const char *, width + 1);
    value_of *values = pt__arena_array(d->arena, value_of, width + 1);
    bool has_fields = false;
    size_t next = 0;
    for (size_t i = 0; i < width; i++) {
        if (next == count)
            return count_names(d, count, next + 1);
        const pt_type *type = relation->columns->fields[i].type;
        const pt_type *renamed;
        top[i] = names[next++];
        PT_TRY(pt__substrait_rename_type(d, type, names, count, &next, &renamed));
        values[i] = (value_of){pt__substrait_ordinal(d, (uint32_t)i, 0), renamed};
        if (renamed != type) {
            values[i].expr = pt__expr_cast(d->arena, values[i].expr, pt__substrait_plain(d, renamed), PT_CAST_ANSI);
            has_fields = true;
        }
    }
    PT_TRY(count_names(d, count, next));
    if (has_fields)
        *relation = pt__substrait_project_of(d, relation->plan, values, width);
    relation->plan = pt__substrait_to_df(d, relation->plan, top, width);
    return PT_OK;
}

/* ---- the root ---- */

static pt_status decode_relation_root(decoder *d, const Substrait__Rel *rel, char *const *names, size_t count,
                                      const pt_plan **out)
{
    relation_of relation;
    PT_TRY(pt__substrait_relation_in(d, NULL, rel, &relation));
    if (count != 0)
        PT_TRY(pt__substrait_root_names(d, names, count, &relation));
    *out = relation.plan;
    return PT_OK;
}

static pt_status decode_rel(decoder *d, const Substrait__Rel *rel, char *const *names, size_t count,
                            const pt_plan **out)
{
    if (rel != NULL && rel->rel_type_case == SUBSTRAIT__REL__REL_TYPE_WRITE)
        return pt__substrait_write(d, rel->write, out);
    if (rel != NULL && rel->rel_type_case == SUBSTRAIT__REL__REL_TYPE_DDL)
        return pt__substrait_ddl(d, rel->ddl, out);
    return decode_relation_root(d, rel, names, count, out);
}

static const pt_plan *with_subtrees(decoder *d, const pt_plan *plan)
{
    if (d->ctes.count == 0)
        return plan;
    pt_plan_with *with = pt__plan_make(d->arena, WITH, with, NULL);
    with->ctes = d->ctes.items;
    with->cte_count = d->ctes.count;
    with->recursion_limit = -1;
    with->input = plan;
    return &with->base;
}

/* The root, or the only relation of a plan that has none. */
static pt_status find_root(decoder *d, const Substrait__PlanRel **out)
{
    const Substrait__Plan *plan = d->plan;
    size_t roots = 0;
    *out = NULL;
    for (size_t i = 0; i < plan->n_relations; i++) {
        if (plan->relations[i]->rel_type_case != SUBSTRAIT__PLAN_REL__REL_TYPE_ROOT)
            continue;
        *out = plan->relations[i];
        roots++;
    }
    if (roots > 1)
        return pt__substrait_unsupported(d, "Substrait plans of %zu roots", roots);
    if (roots == 0 && plan->n_relations == 1)
        *out = plan->relations[0];
    return *out != NULL ? PT_OK : pt__substrait_bad(d, "it has %zu relations and no root", plan->n_relations);
}

static pt_status decode_plan(decoder *d, const pt_plan **out)
{
    const Substrait__PlanRel *root;
    PT_TRY(pt__substrait_check_extension(d, d->plan->advanced_extensions, "plan"));
    PT_TRY(find_root(d, &root));
    if (root->rel_type_case == SUBSTRAIT__PLAN_REL__REL_TYPE_ROOT)
        PT_TRY(decode_rel(d, root->root->input, root->root->names, root->root->n_names, out));
    else if (root->rel_type_case == SUBSTRAIT__PLAN_REL__REL_TYPE_REL)
        PT_TRY(decode_rel(d, root->rel, NULL, 0, out));
    else
        return pt__substrait_unknown_kind(d, &root->base, root->rel_type_case);
    *out = with_subtrees(d, *out);
    return PT_OK;
}

pt_status pt__substrait_decode(pt__arena *arena, pt_bytes_view wire, const pt__decode_options *options,
                               const pt_plan **out, pt_error *err)
{
    Substrait__Plan *plan;
    PT_TRY(pt__protobuf_unpack(arena, &substrait__plan__descriptor, wire, (ProtobufCMessage **)&plan, err));
    decoder d = {.arena = arena, .extensions = options == NULL ? NULL : options->extensions, .plan = plan, .err = err};
    d.subtrees = pt__arena_array(arena, pt__subtree, plan->n_relations + 1);
    read_declarations(&d);
    return decode_plan(&d, out);
}
